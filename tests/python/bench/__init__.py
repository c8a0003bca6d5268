"""How fast the pipeline is, against what else one would use: `make bench`."""
