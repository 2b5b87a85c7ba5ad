"""Annotate datasets on clusters of machines."""
