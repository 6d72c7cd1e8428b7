"""The ways in: HTTP and the published document. No surface holds code for a single operation."""
