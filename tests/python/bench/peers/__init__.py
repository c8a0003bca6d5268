"""What the pipeline is measured against, one module a peer."""
