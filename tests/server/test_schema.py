"""The API answers as its own schema says, whatever it is sent."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import positive_data_acceptance

from spacy_fastcoref.server.access import Access
from spacy_fastcoref.server.app import make_app

load_all_checks()
OPERATIONS = [
    ("GET", "/health"),
    ("GET", "/pipelines"),
    ("POST", "/coref"),
    ("POST", "/corpus/{kind}"),
]


@pytest.fixture(scope="module")
def schema(shipped_nlp):
    app = make_app({"en": shipped_nlp}, access=Access(frozenset("*")))
    return schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.mark.slow
def test_the_schema_has_all_operations(schema):
    found = [result.ok() for result in schema.get_all_operations()]
    assert sorted((one.method.upper(), one.path) for one in found) == OPERATIONS


@pytest.mark.slow
@pytest.mark.parametrize("method, path", OPERATIONS)
def test_what_the_schema_says_holds(schema, method, path):
    @given(case=schema[path][method].as_strategy())
    @settings(
        max_examples=30 if method == "POST" else 3,
        suppress_health_check=list(HealthCheck),
    )
    def check(case):
        # Offsets outside of a text are refused, which no schema can say.
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    check()
