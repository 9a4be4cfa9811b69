"""How each library is told of cowarray's arrays, after it has been imported: nothing here imports one before."""
