"""Make the web application: the API, and the files of the page."""

import asyncio
import contextlib
import json
from functools import partial
from pathlib import Path
from typing import (
    Any,
    AsyncIterator,
    Callable,
    Dict,
    List,
    Mapping,
    Sequence,
    Tuple,
    Union,
)

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from prometheus_client import CONTENT_TYPE_LATEST
from spacy.language import Language
from starlette.exceptions import HTTPException

from .. import about
from ..errors import Errors, check_known
from ..registry import registry
from ..resolution.resolve import get_policy
from ..visualizer.stylesheet import make_css
from .access import Access
from .answers import Kind, make_answer, make_corpus
from .batcher import Batcher, Job
from .limits import Limits, LimitsMiddleware, Metrics
from .pipelines import Pipeline
from .problems import ProblemError, name_place, tell
from .schemas import (
    CorefAnswer,
    CorefRequest,
    OneDocument,
    Options,
    Problem,
    ServerInfo,
)

STATIC = Path(__file__).parent / "static"
_PROBLEMS: Dict[Union[int, str], Dict[str, Any]] = {
    status: {"model": Problem}
    for status in (400, 401, 403, 408, 413, 415, 422, 429, 431, 500, 503)
}
_TYPE = "application/json"
# The most names in an object, and the most errors that an answer lists.
_MAX_NAMES = 64
_MAX_PLACES = 100


class _JsonRoute(APIRoute):
    """Read JSON so that errors name the place."""

    def get_route_handler(self) -> Callable:
        handle = super().get_route_handler()

        async def handle_json(request: Request) -> Response:
            found = request.headers.get("content-type", "")
            is_json = found.partition(";")[0].strip().lower() == _TYPE
            # No page of another host can send JSON.
            if request.method == "POST" and not is_json:
                raise ProblemError(415, Errors.FC217.format(found=found))
            return await handle(_JsonRequest(request.scope, request.receive))

        return handle_json


def make_app(
    pipelines: Mapping[str, Language],
    limits: Limits = Limits(),  # noqa: B008
    access: Access = Access(),  # noqa: B008
) -> FastAPI:
    """Make the web application.

    pipelines (Mapping[str, Language]): The pipelines by the names that clients choose
        them by; the first is the default. No other thread may use them.
    limits (Limits): The limits of size, time and concurrency.
    access (Access): The names that the server may be called by, and its token.
    RETURNS (FastAPI): The application, for an ASGI server such as uvicorn.
    RAISES (ValueError): A pipeline has no coreference component.
    """
    found = {name: Pipeline(name, nlp) for name, nlp in pipelines.items()}
    metrics = Metrics()
    batcher = Batcher(metrics.batches.observe)
    info = ServerInfo(
        version=about.__version__,
        pipelines=[pipeline.describe() for pipeline in found.values()],
        policies=sorted(registry.coref_policies.get_all()),
        max_bytes=limits.max_bytes,
        timeout=limits.timeout,
    )

    @contextlib.asynccontextmanager
    async def run_batcher(app: FastAPI) -> AsyncIterator[None]:
        batcher.open()
        yield
        await asyncio.to_thread(batcher.close)

    async def answer(
        sent: Request, options: Options, documents: Sequence[Any], finish: Callable
    ) -> bytes:
        # Together with the documents of other requests.
        name = options.pipeline or next(iter(found))
        with name_place("pipeline"):
            check_known("pipeline", name, found)
        job = Job(found[name], options.rules, documents, partial(finish, found[name]))
        waiting = asyncio.wrap_future(batcher.submit(job))
        # After the body, all that can come is that the client has gone.
        gone = asyncio.ensure_future(sent.receive())
        try:
            await asyncio.wait(
                (waiting, gone),
                timeout=limits.timeout,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if gone.done():
                raise ConnectionError
            if not waiting.done():
                raise ProblemError(503, Errors.FC204.format(timeout=limits.timeout))
            return await waiting
        finally:
            waiting.cancel()
            gone.cancel()

    app = FastAPI(
        title="spacy-fastcoref",
        version=about.__version__,
        summary="Coreference resolution: who is who in a text",
        lifespan=run_batcher,
        exception_handlers=dict.fromkeys(
            (HTTPException, RequestValidationError), _tell
        ),
        # Their pages load scripts from another host.
        docs_url=None,
        redoc_url=None,
    )
    app.router.route_class = _JsonRoute

    @app.post(
        "/coref", response_model=CorefAnswer, responses=_PROBLEMS, summary="Resolve"
    )
    async def resolve(request: CorefRequest, sent: Request) -> Response:
        """Find the clusters of one document or of many."""
        # Not after the documents were resolved for nothing.
        with name_place("policy"):
            get_policy(request.policy)
        documents = [request] if request.documents is None else request.documents
        finish = partial(make_answer, parts=request.include, policy=request.policy)
        body = await answer(sent, request, documents, finish)
        return Response(body, media_type="application/json")

    @app.post(
        "/corpus/{kind}",
        response_class=Response,
        responses={**_PROBLEMS, 200: {"content": {"application/octet-stream": {}}}},
        summary="Save",
    )
    async def save(kind: Kind, request: OneDocument, sent: Request) -> Response:
        """Resolve a corrected document, and return it as a file to train on."""
        finish = partial(make_corpus, kind=kind)
        body = await answer(sent, request, [request], finish)
        return Response(
            body,
            media_type="application/octet-stream",
            headers={"content-disposition": f'attachment; filename="coref.{kind}"'},
        )

    @app.get("/pipelines", response_model=ServerInfo, summary="Describe")
    async def describe() -> ServerInfo:
        """List the pipelines, their rules and the limits of this server."""
        return info

    @app.get("/health", summary="Check")
    async def check() -> Dict[str, str]:
        """Tell that the server answers."""
        return {"status": "ok", "version": about.__version__}

    @app.get("/metrics", include_in_schema=False)
    async def measure() -> Response:
        return Response(metrics.render(), media_type=CONTENT_TYPE_LATEST)

    @app.get("/", include_in_schema=False)
    async def show() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    @app.get("/palette.css", include_in_schema=False)
    async def color() -> Response:
        return Response(make_css(), media_type="text/css")

    app.mount("/static", StaticFiles(directory=STATIC))
    paths = frozenset(route.path for route in app.routes if "{" not in route.path)
    app.add_middleware(
        LimitsMiddleware,
        limits=limits,
        access=access,
        metrics=metrics,
        paths=paths,
    )
    return app


async def _tell(request: Request, error: Any) -> Response:
    if isinstance(error, RequestValidationError):
        error = _describe(error.errors())
    return tell(error)


class _JsonRequest(Request):
    """Read JSON; what is wrong with it is told by line and column."""

    async def json(self) -> Any:
        """Parse the body; what is not UTF-8 is refused with the text that has it."""
        text = (await self.body()).decode("utf8", "surrogateescape")
        try:
            return json.loads(text, object_pairs_hook=_make_object)
        # Those of a JSONDecodeError have line and column.
        except (RecursionError, ValueError) as error:
            message = Errors.FC216.format(reason=error)
            raise ProblemError(422, message) from error


def _make_object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    # Each name that is not known is an error.
    if len(pairs) > _MAX_NAMES:
        raise ValueError(f"an object with {len(pairs)} names")
    return dict(pairs)


def _describe(errors: Sequence[Mapping[str, Any]]) -> ProblemError:
    """Describe what is wrong with a request, and where."""
    places = [
        (".".join(map(str, error["loc"][1:])), error["msg"])
        for error in errors[:_MAX_PLACES]
    ]
    place, message = places[0]
    reason = f"{message} (in {place})" if place else message
    return ProblemError(422, Errors.FC216.format(reason=reason), places)
