"""List all errors and warnings of the package with their codes."""

import contextlib
from typing import Collection, Iterator

from spacy.errors import ErrorsWithCodes


class Errors(metaclass=ErrorsWithCodes):
    # Settings
    FC002 = (
        "No coreference weights for the language '{lang}' ship with this package "
        "(there are some for: {available}). Pass a trained model instead, for instance "
        "nlp.add_pipe('fastcoref', config={{'model_path': 'path/or/hub-name'}}) or "
        "FCoref('path/or/hub-name'), or use the model without weights, which links by "
        "grammar: config={{'model': {{'@architectures': "
        "'spacy_fastcoref.NearestAntecedent.v1'}}}}, or a [model] block of your own."
    )
    FC005 = (
        "The device '{device}' was asked for, but this machine cannot provide it: "
        "{reason}. Use device='cpu' or device='auto'."
    )
    FC006 = (
        "This callback belongs to a prediction. To train, call the model's "
        "begin_update, or nlp.update."
    )
    FC007 = (
        "The coreference model has no vectors to read ({reason}). Its tok2vec is a "
        "listener: the component that it listens to (tok2vec or transformer) has to "
        "come before it in the pipeline. In training, that component has to be trained "
        "as well, or be listed under both `frozen_components` and "
        "`annotating_components`."
    )
    FC008 = (
        "fastcoref has no layer {layer}, so the model can't be written for it. It only "
        "has the mention scorer of s2e and the antecedent scorers of s2e and LingMess, "
        "without features of words."
    )
    FC009 = "A component of the pipeline dropped the document without an error."
    FC076 = "The setting '{name}' is {value!r}, but it has to be {expected}."
    # Models and their files
    FC010 = (
        "Can't load a coreference model from '{path}': there is no such folder, and "
        "{reason}."
    )
    FC011 = "Can't load the coreference model in '{path}': {reason}."
    FC012 = (
        "The weights in '{path}' do not fit the model that its config.json describes. "
        "Missing: {missing}. Unexpected: {unexpected}. Wrong shape or type: {wrong}."
    )
    FC014 = "The settings of the layer '{block}' in '{path}' are not valid: {reason}."
    FC015 = (
        "'{path}' holds a checkpoint with '{key}' = {value!r} in its config.json; "
        "it has to be {expected}."
    )
    FC017 = (
        "The model has no weights and nothing to load them from. Name them in its "
        "block or in its encoder's, train it, or load the pipeline with nlp.from_disk "
        "or nlp.from_bytes."
    )
    FC018 = (
        "The bytes are broken, or those of another kind of object: {reason}. Write "
        "them again with to_bytes."
    )
    FC092 = (
        "Can't average the weights of {first!r} and {other!r}: they differ in {names}. "
        "Average models that were trained from the same initial model, with the "
        "components that make their vectors in `frozen_components`."
    )
    FC093 = (
        "The tokenizer in '{path}' can't be used: {reason}. Save the model again with "
        "the tokenizer that it was trained with."
    )
    FC095 = (
        "There is no coreference component, made by nlp.add_pipe('fastcoref'), among "
        "{names}."
    )
    FC100 = (
        "The weights in '{path}' are not all finite numbers: {names}. Train that model "
        "again with a lower learning rate, or take one of an earlier step."
    )
    FC108 = (
        "An ensemble of several models can't be {action}. Use one of its models, or "
        "train one on what the ensemble annotates: `python -m spacy coref distill`."
    )
    FC120 = (
        "The model of the component '{component}' is not a coreference model: it lacks "
        "{missing}. Subclass both thinc.api.Model and spacy_fastcoref.types.CorefModel."
    )
    FC121 = (
        "The model ({model}) has no checkpoint, so it can't be exported or averaged. "
        "Use spacy_fastcoref.CorefModel.v1, Pretrained.v1 or Tok2VecCoref.v1."
    )
    FC122 = (
        "The optimizer can't be used to train a coreference model: {reason}. Use "
        "Adam.v1 (with L2_is_weight_decay for AdamW), RAdam.v1 or SGD.v1 in "
        "[training.optimizer]."
    )
    FC123 = (
        "NeuralCoref's setting {name}={value!r} is not available: {reason}. Use "
        "{advice}."
    )
    # The store and its views
    FC024 = "There is no {kind} {name!r}. Available: {available}."
    FC026 = (
        "{mention!r} are not the character offsets of whole tokens of the Doc. To give "
        "token offsets, or spans, use spacy_fastcoref.set_clusters."
    )
    FC027 = (
        "doc._.{name} is read from the clusters and can't be set. Change these with "
        "spacy_fastcoref.set_clusters, or write them to doc._.coref_clusters."
    )
    FC105 = (
        "{mention!r} can't be a mention: {reason}. Mentions are Spans of the Doc, or "
        "(start, end) token offsets."
    )
    FC109 = (
        "The policy for resolved text returned {value!r} ({kind}) for '{mention}'. It "
        "has to return a Span of one token or more, a text, or None to keep the "
        "mention."
    )
    FC110 = (
        "The spans of doc.spans['{key}'] are not those of the Doc's {length} tokens: "
        "tokens were merged or split after the group was made, and spaCy leaves groups "
        "as they are. Make it again, or delete it."
    )
    # Predictors
    FC031 = (
        "{mentions} can't be scored: {reason}. Take mentions from "
        "get_clusters(as_strings=False)."
    )
    FC106 = (
        "This pair is not among the links of the result, so the model has to score it, "
        "but a result that was pickled or copied has no model. Call get_logit before "
        "that, or predict the text again."
    )
    # Rules and constraints
    FC045 = (
        "The rules {rules} returned {name} with {value}, but it has to be an array of "
        "the shape {shape}, with -1 for any length, of whole numbers from {least} to "
        "{most}. Correct them, or take others in the setting `rules`."
    )
    FC041 = (
        "The mention '{mention}' has both a must-link (in a group "
        "doc.spans['coref_seeds_…']) and a cannot-link (in a group "
        "doc.spans['coref_apart_…']) to another mention. Remove it from one of the two "
        "groups."
    )
    FC042 = (
        "There are {n_groups} groups of cannot-links doc.spans['{name}_…'], but a Doc "
        "can have {most} at most. Join groups that have mentions in common."
    )
    FC044 = (
        "The mention {mention!r} can't be explained: it has to be a span of the "
        "document, or its (start, end) token offsets, and a pair needs two different "
        "ones."
    )
    # Metrics and corpora
    FC051 = "{path}, line {line}: {reason}."
    FC052 = "Can't read '{path}': {reason}."
    FC057 = (
        "The block [columns] can't be used: {columns}. It needs 'text', two "
        "'candidates', either two 'labels' or an 'answer', and 'pronoun' together "
        "with 'pronoun_offset', or neither if the pronoun is in [brackets] in the "
        "text. Available: {roles}."
    )
    FC091 = "{path}, item {item}: {reason}."
    # Pretraining
    FC070 = (
        "{paths} gives no example: no passage has two people, one of them named twice, "
        "or both a name and a pronoun. Names are found by an entity recognizer (the "
        "setting `ner` names a pipeline), else by lists of given names and titles."
    )
    FC072 = (
        "The document has masked words (doc.spans['coref_masked']), but the model's "
        "tokenizer has no piece to show for them ({available})."
    )
    # Distillation and training
    FC081 = (
        "Can't resume the run in '{path}': {reason}. Start one without --resume, "
        "choose another folder, or empty this one."
    )
    FC084 = (
        "The pipeline in '{path}' has {n_found} coreference components, where one is "
        "needed. Pass the folder of the one that you mean: PIPELINE/COMPONENT/model."
    )
    FC085 = (
        "The model in '{path}' reads vectors that other components of its pipeline "
        "make, so it can't be used alone. Load the pipeline with spacy.load, or name "
        "its component as `source` in a config."
    )
    # Processes
    FC190 = (
        "The ranker was trained with annotation that this document lacks: {missing}. "
        "Put components that make it before the ranker, or train the ranker without."
    )
    FC192 = (
        "The ranker can't be initialized, since none of the sampled documents has two "
        "mentions. Check that they are annotated and that their language has a grammar."
    )
    FC195 = (
        "The weights of the ranker are for {expected}, and this document has {found}. "
        "Use the pipeline of its training, or train it on the annotation of this one."
    )
    FC196 = (
        "The ranker was trained with other labels: it knows none of the {name} of this "
        "document, such as {found}. It knows, for example, {known}. Use a pipeline "
        "with these labels, or train the ranker on the annotation of this one."
    )
    FC150 = (
        "The pipeline can't be sent to worker processes, since it can't be pickled: "
        "{reason}. Define components, and the getters of extension attributes, as "
        "functions or classes at the top level of a module."
    )
    FC151 = (
        "A worker process can't load the pipeline: {reason}. What the process wrote to "
        "standard error may say more. A script has to call spacy_fastcoref.pipe below "
        "`if __name__ == '__main__':`, since each process imports it; and there has to "
        "be enough memory for n_process copies of the pipeline."
    )
    FC152 = (
        "The document {index} (counted from 0), {text}, ended two worker processes, "
        "the second one alone: {reason}. Leave it out, split it, or set `timeout` "
        "higher if it only takes long. To go on without its annotation, set an error "
        "handler: nlp.set_error_handler(spacy.util.ignore_error)."
    )
    FC153 = (
        "The model spacy_fastcoref.NearestAntecedent.v1 has no weights and can't be "
        "trained. Add the component to frozen_components in the [training] block, or "
        "choose another [model] block."
    )
    FC180 = (
        "None of the documents has an annotated cluster, so there is nothing to "
        "compare with. To find clusters in texts, use `python -m spacy coref "
        "annotate`."
    )
    # Pictures
    FC173 = (
        "{value!r} can't be drawn. Pass a Doc, a Span, or a list of these; for a text, "
        "nlp(text)."
    )
    # Commands
    FC103 = "Can't write to '{path}': {reason}. Choose another place."
    FC161 = (
        "Can't tell the format of '{path}' by its ending. Name the format by {option}, "
        "or use a file that ends in one of: {endings}."
    )
    FC162 = (
        "The format {name} can't hold this document: {reason}. Choose another format, "
        "such as jsonl."
    )
    FC163 = (
        "'{path}' can't be written to: {n_parts} {parts} of a run with other settings "
        "are there ({differences}). Use the same settings to go on with it, or choose "
        "another output, or move them away."
    )
    FC165 = "The document '{key}' is left out: {reason}."
    FC166 = (
        "The text has no {words!r}, or not as whole tokens, so it can't be explained."
    )
    FC104 = (
        "The GPU {gpu_id} can't be used: {reason}. Leave --gpu-id out to train on CUDA "
        "where PyTorch has it, as the component's setting `device` says; other "
        "components need CuPy for it."
    )
    # The server
    FC200 = (
        "This needs a package that is not installed ({reason}): pip install "
        "'spacy-fastcoref[{extra}]'."
    )
    FC201 = (
        "Can't listen on {host}, port {port}: {reason}. Choose another by --host and "
        "--port; --port 0 takes any that is free."
    )
    FC202 = (
        "The {part} of the request has more than {most} bytes. Send texts in the body, "
        "fewer or shorter ones, or start the server with a larger --max-mb."
    )
    FC203 = (
        "{n_waiting} requests are being answered, as many as this server takes at "
        "once. Send this one again in a few seconds."
    )
    FC204 = (
        "There was no answer within {timeout:g} seconds. Send shorter texts or fewer "
        "at once, or start the server with a larger --timeout."
    )
    FC205 = (
        "The request arrived too slowly: {size} bytes of its body in {seconds:.1f} "
        "seconds. Send it over a faster connection, or fewer texts at once."
    )
    FC206 = "The server is stopping."
    FC208 = (
        "The text has {length} characters, but the pipeline '{name}' takes at most "
        "{most}. Split the text, or set nlp.max_length in the pipeline."
    )
    FC209 = (
        "{start} to {end} is not inside the document, which has {length} {unit}, or "
        "has no word in it. A span has a start and a larger end, which is exclusive."
    )
    FC210 = (
        "There are {n_given} {name} for {n_owners} {owners}, and one each is needed."
    )
    FC211 = (
        "'{mention}' is dropped, and at the same time added, or put together or kept "
        "apart with other mentions. Keep one of the two."
    )
    FC212 = (
        "The pipeline '{name}' has rules of its own kind, or none for its language, "
        "and no single one of them can be left out."
    )
    FC213 = "The document could not be resolved. The log of the server says why."
    FC216 = "The request is not valid: {reason}."
    FC217 = (
        "The request has the content type '{found}'. Send JSON, with the header "
        "'content-type: application/json'."
    )
    FC219 = (
        "The request has both a Content-Length and a Transfer-Encoding, which tell "
        "two lengths. Send one of them."
    )
    FC230 = (
        "The server is not known by the name {host!r}, which may lead here from a page "
        "that is not its own. Call it by localhost or 127.0.0.1, or start it with "
        "--allow-host and this name."
    )
    FC231 = (
        "The request was sent by a page of another host ({origin}). Start the server "
        "with --allow-host and the host's name if the page is yours."
    )
    FC232 = (
        "The server needs its token. Open the address that it printed when it was "
        "started, or send the header 'authorization: Bearer ' with the token."
    )
    FC233 = (
        "On {address} the server can be reached from other machines. Say by "
        "--allow-host by which name or address they call it, such as --allow-host "
        "coref.example.com; --allow-host '*' is for any."
    )
    # Clusters of machines
    FC242 = (
        "'{path}' can't be written to, since another run is writing there: {other}. "
        "Wait until it ends, or choose another place."
    )
    FC244 = (
        "The rows {start} to {stop} of the dataset are not those that an earlier run "
        "has annotated in '{path}'. A run that goes on needs the same rows in the same "
        "order. For another dataset, choose another folder."
    )
    FC246 = (
        "Can't write into '{path}': {reason}. {n_parts} {parts} are written; into a "
        "file or a folder, the same run again goes on after them."
    )
    FC247 = (
        "A worker has written a file that this process does not see ({reason}). All "
        "machines of the cluster have to share the folder '{path}'. Choose one on a "
        "network file system."
    )
    FC248 = (
        "No actor can load the pipeline: {reason}. All machines of the cluster need "
        "the packages of the pipeline, and memory for each actor."
    )
    FC249 = (
        "The rows of the dataset can't be written to one table, since their columns "
        "have different types: {reason}. Convert them with dataset.map_batches, or "
        "leave columns out with dataset.select_columns."
    )
    FC250 = (
        "The row {row} ended two workers while they had it alone: {reason}. Leave it "
        "out, or split its text."
    )
    FC251 = (
        "There is no text in this row, but {found}. Decode or convert it before it is "
        "annotated."
    )
    FC254 = (
        "An actor needs {wanted}, and no machine of the cluster has more than {found}. "
        "Ask for less, or, if the cluster starts machines as they are needed, set the "
        "number of actors (concurrency)."
    )
    FC256 = (
        "The dataset has columns that the output is to have: {names}. Rename them with "
        "dataset.rename_columns."
    )
    FC257 = (
        "There is no cluster of Ray at the address '{address}': {reason}. Start one "
        "with `ray start --head`, or leave the address out to use this machine alone."
    )
    FC258 = (
        "Can't tell how '{path}' is to be read on a cluster. Name the format by "
        "--from: {available}; lines has a text on each line."
    )
    FC259 = (
        "{options} can't be used with --engine {engine}. Leave it out, or use --engine "
        "{other}."
    )
    # Conversations
    FC220 = (
        "A turn can't be added: {reason}. A turn is a text, or a Doc with the "
        "vocabulary of the pipeline, and its speaker is a name (str) or None."
    )
    FC221 = (
        "The Doc {text} is no turn of this conversation. Turns are what its method "
        "`add` has returned; after from_bytes, they are in its attribute `turns`."
    )
    FC222 = (
        "The turn {turn} (counted from 0) has {length} tokens, but had {expected} when "
        "it was added: tokens were merged or split. Do that in a copy, doc.copy()."
    )
    FC272 = (
        "The document {text} has no parse, in which facts could be found. Use a "
        "pipeline with a parser, such as en_core_web_sm."
    )
    FC273 = (
        "There is no false name of the kind '{kind}' left that fits and that does not "
        "occur in the text (locale: {locale}). Name another locale, or install Faker, "
        "which has more names: pip install 'spacy-fastcoref[faker]'."
    )


class Warnings(metaclass=ErrorsWithCodes):
    FCW01 = (
        "The setting device='{device}' is ignored in this worker process: CUDA does "
        "not survive a fork, so the worker computes on the CPU."
    )
    FCW02 = "Skipped {n_skipped} documents of '{path}'. The first: {first}"
    FCW03 = (
        "{n_mentions} gold mentions in this batch start or end inside a token of the "
        "pipeline's own tokenizer. Training ignores them; the component "
        "'{name}' counts them in its attribute n_misaligned."
    )
    FCW05 = (
        "These extension attributes of another package were replaced by those of "
        "spacy-fastcoref: {names}."
    )
    FCW06 = (
        "'{module}' has the component factory 'fastcoref' already. That of "
        "spacy-fastcoref is nlp.add_pipe('spacy_fastcoref') in this process; without "
        "the other package both names mean this one."
    )
    FCW07 = (
        "The coreference clusters of a Doc are ignored: doc.spans['{key}'] was made "
        "before tokens were merged or split, and its spans cover other words now. "
        "Merge and split tokens before the component 'fastcoref', or run it on the Doc "
        "again."
    )
    FCW11 = (
        "The weights of '{path}' do not fit these layers, or only in part, so they are "
        "initialized randomly: {layers}."
    )
    FCW12 = (
        "{n_files} of {n_read} files gave no example: no passage has two people, one "
        "of them named twice, or both a name and a pronoun: {paths}"
    )
    FCW13 = (
        "spacy_fastcoref.NearestAntecedent.v1 finds mentions by annotation that the "
        "Docs don't have: {missing}. Without it, most nouns are missed, and grammar "
        "permits more links. Add a tagger and a parser before the component."
    )
    FCW31 = (
        "There is no lexicon for language '{lang}', so that pronouns are not known and "
        "heads are found by the parse alone. There are lexicons for: {available}."
    )
    FCW32 = (
        "The parse has labels of no dependency scheme that the rules know: {labels}. "
        "Nouns, pronouns and their roles are read as if there were no parse. Add a "
        "parser before the component whose labels belong to one of these schemes: "
        "{available}."
    )
    FCW20 = "The file '{path}' is skipped: {reason}."
    FCW21 = (
        "The file '{path}' is missing or was changed since it was written; it is made "
        "again."
    )
    FCW22 = (
        "The teacher found no clusters in {n_passages} passages. Check that it has a "
        "coreference component."
    )
    FCW23 = "TrainingArgs: {name}={value!r} is ignored: {reason}."
    FCW24 = (
        "A batch was skipped because {what} is {value}. If there are many such "
        "batches, use a lower learning rate, or precision='float32'."
    )
    FCW34 = (
        "The weights for several languages were not trained on the language {lang!r}, "
        "and how good they are for it was not measured. They were measured for: "
        "{available}."
    )
    FCW35 = (
        "The context vectors of this document (doc.tensor) are unlike those that the "
        "ranker was trained with. If another pipeline makes them, the ranker finds few "
        "right clusters. Use the pipeline of its training, or train it on this one."
    )
    FCW36 = (
        "A text is not in the language of this pipeline, {lang!r}: it has hardly any "
        "of that language's function words. Its clusters are probably wrong. Use a "
        "pipeline of the text's language. (Said once for each pipeline.)"
    )
    FCW37 = (
        "The coreference clusters of this Doc are those of {n_docs} Docs that "
        "Doc.from_docs has put together: it merges those of the same number, whoever "
        "they are. Concatenate Docs with spacy_fastcoref.from_docs, or run the "
        "component 'fastcoref' on the Doc again."
    )
    FCW30 = (
        "The rules {rules} were set on the component '{component}' and are not saved "
        "with it: loaded again, it has the rules of its config. Register a function "
        "that returns them with @spacy.registry.coref_rules and name it in the "
        "config's [components.{component}.rules]."
    )
    FCW41 = (
        "ONNX Runtime does not run the encoder, and torch does: {reason}. Install the "
        "extra spacy-fastcoref[onnx], or set runtime='torch'."
    )


def is_ours(error: Exception) -> bool:
    """Check whether an error or a warning is one of this package's, by its code."""
    return str(error).startswith("[FC")


def check_setting(name: str, value: object, is_valid: object, expected: str) -> None:
    """Raise a ValueError that says what a setting has to be, if it is not valid."""
    if not is_valid:
        raise ValueError(Errors.FC076.format(name=name, value=value, expected=expected))


def check_known(kind: str, name: object, known: Collection[str]) -> None:
    """Raise a ValueError that lists what there is of a kind, if a name is unknown."""
    if name not in known:
        available = ", ".join(known)
        raise ValueError(Errors.FC024.format(kind=kind, name=name, available=available))


@contextlib.contextmanager
def name_bytes_in_errors() -> Iterator[None]:
    """Turn any error within the context into a ValueError: the bytes are broken."""
    try:
        yield
    except Exception as error:
        # msgpack alone raises a dozen kinds of errors.
        if str(error).startswith("[FC018]"):
            raise
        reason = f"{type(error).__name__}, {error}"
        raise ValueError(Errors.FC018.format(reason=reason)) from error
