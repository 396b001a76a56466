"""The command line of dr-policy: parse, call, print, exit."""
