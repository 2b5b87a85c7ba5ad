"""Count requests, documents and seconds for Prometheus."""

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

MEDIA_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """Hold the metrics of one server."""

    def __init__(self) -> None:
        self.registry = to = CollectorRegistry()
        said, names = "Requests by path and status", ["path", "status"]
        self.requests = Counter("coref_requests", said, names, registry=to)
        self.seconds = Histogram(
            "coref_request_seconds",
            "Time from the first byte of a request to its answer",
            ["path"],
            buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60),
            registry=to,
        )
        self.waiting = Gauge(
            "coref_requests_waiting", "Requests that are being answered", registry=to
        )
        self.batches = Histogram(
            "coref_batch_documents",
            "Documents that were resolved together",
            buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
            registry=to,
        )

    def render(self) -> bytes:
        """Write the metrics in the format of Prometheus."""
        return generate_latest(self.registry)
