"""The command line: one file for each command or group, loaded when it is called."""
