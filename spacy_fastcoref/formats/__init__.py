"""Read and write annotated documents in the formats of the field."""
