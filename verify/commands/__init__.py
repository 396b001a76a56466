"""The command line of dr-verify: parse, call, print, exit."""
