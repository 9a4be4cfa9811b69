"""Telling each library of cowarray's arrays after it has been imported: nothing here imports one."""
