#!/bin/sh
# @NAME@ stands in for Datarim's tool of that name: it runs dr-verify @COMMAND@
# with the same arguments. "dr-verify install shims" wrote it, "dr-verify uninstall shims" removes it;
# a shim that was edited is never replaced or removed. @VARIABLE@ names another program to run.
if [ -z "${@VARIABLE@:-}" ]; then
  @VARIABLE@=@PROGRAM@
fi
exec "$@VARIABLE@" @COMMAND@ "$@"
