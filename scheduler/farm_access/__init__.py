"""What people ask of a farm and tell it to do, the same on the command line and over HTTP."""
