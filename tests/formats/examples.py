"""A small document in each format, with the same two clusters of two mentions."""

import json

TEXT = "Ann saw Tom 😀. She saw his dog."
CLUSTERS = [["Ann", "She"], ["Tom", "his"]]

TEXT_LINE = {"text": TEXT, "clusters": [[[0, 3], [15, 18]], [[8, 11], [23, 26]]]}
CONLL = """#begin document (a); part 000
a\t0\t0\tAnn\tNNP\t*\t-\t-\t-\tBob\t*\t(0)
a\t0\t1\tsaw\tVBD\t*\t-\t-\t-\tBob\t*\t-
a\t0\t2\tTom\tNNP\t*\t-\t-\t-\tBob\t*\t(1)
a\t0\t3\t.\t.\t*\t-\t-\t-\tBob\t*\t-

a\t0\t0\tShe\tPRP\t*\t-\t-\t-\t-\t*\t(0)
a\t0\t1\tsaw\tVBD\t*\t-\t-\t-\t-\t*\t-
a\t0\t2\this\tPRP$\t*\t-\t-\t-\t-\t*\t(1)
a\t0\t3\tdog\tNN\t*\t-\t-\t-\t-\t*\t-

#end document
"""
# With an empty node, a multiword token and a mention of two parts, whose head is in the
# second one.
COREFUD = """# newdoc id = a
# global.Entity = eid-etype-head-other
# sent_id = 1
# speaker = Bob
1\tAnn\tAnn\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t_\tEntity=(e1-person-1-)
2\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t_\tEntity=(e7[1/2]-event-2-)
2.1\t_\t_\tPRON\t_\t_\t_\t_\t2:nsubj\tEntity=(e1-person-1-)
3\tTom\tTom\tPROPN\tNNP\tNumber=Sing\t2\tobj\t_\tEntity=(e2-person-1-
4\tBaker\tBaker\tPROPN\tNNP\tNumber=Sing\t3\tflat\t_\tEntity=e2)|SpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\tEntity=(e7[2/2])

# sent_id = 2
1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\tEntity=(e1-person-1-)
2\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t_\t_
3-4\tdes\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
3\tde\tde\tADP\tIN\t_\t4\tcase\t_\tEntity=(e2-person-1-
4\ths\the\tPRON\tPRP$\t_\t2\tobj\t_\tEntity=e2)
"""
BRACKETS = "# a | news\n@Bob: [a Ann] saw [b Tom] 😀.\n\n[a She] saw [b his] dog.\n"
BRAT = """T1\tPER 0 3\tAnn
T2\tPER 8 11\tTom
T3\tPER 15 18\tShe
T4\tPER 23 24;25 26\thi s
R1\tCoref Arg1:T3 Arg2:T1
R2\tLikes Arg1:T1 Arg2:T2
A1\tSure T1
*\tEquiv T2 T4
#1\tAnnotatorNotes T1\twho?
"""
SACR = """#title: a

{A:EN="p PER" Ann} saw {B:EN="p} PER",n=2 Tom } 😀. {A: She} saw
{B:x his} dog.
"""
REGIONS = [("x1", 0, 3), ("x2", 8, 11), ("x3", 16, 19), ("x4", 24, 27)]
WORDS = ["Ann", "Tom", "She", "his"]
LABEL_STUDIO = [
    {
        "id": 7,
        "data": {"title": "a", "passage": TEXT},
        "annotations": [
            {"was_cancelled": True, "result": []},
            {
                "was_cancelled": False,
                "result": [
                    *(
                        {
                            "id": name,
                            "type": "labels",
                            # Of JavaScript: the picture counts twice.
                            "value": {"start": a, "end": z, "text": word},
                        }
                        for (name, a, z), word in zip(REGIONS, WORDS, strict=True)
                    ),
                    {"type": "relation", "from_id": "x1", "to_id": "x3"},
                    {"type": "relation", "from_id": "x4", "to_id": "x2"},
                ],
            },
            {"was_cancelled": True, "result": []},
        ],
    }
]
_CHAINS = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
_NAMES = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
PRODIGY_SPANS = [
    {"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PERSON"},
    {"start": 8, "end": 11, "token_start": 2, "token_end": 2, "label": "PERSON"},
    {"start": 15, "end": 18, "token_start": 5, "token_end": 5, "label": "PERSON"},
    {"start": 23, "end": 26, "token_start": 7, "token_end": 7, "label": "PERSON"},
]
PRODIGY = {
    "text": TEXT,
    "spans": PRODIGY_SPANS,
    "relations": [
        {"head_span": PRODIGY_SPANS[i], "child_span": PRODIGY_SPANS[j], "label": label}
        for i, j, label in ((0, 2, "COREF"), (1, 3, "COREF"), (0, 1, "SAW"))
    ],
    "answer": "accept",
    "meta": {"doc_key": "a"},
}
TSV = f"""#FORMAT=WebAnno TSV 3.3
#T_SP={_NAMES}|identifier|value
#T_CH={_CHAINS}|referenceType|referenceRelation


#Text=Ann saw Tom.
1-1\t0-3\tAnn\t*\tPER\tnam[1]\t*->1-1
1-2\t4-7\tsaw\t_\t_\t_\t_
1-3\t8-11\tTom\t*\tPER\tnam[2]\tcoref->2-1
1-4\t11-12\t.\t_\t_\t_\t_

#Text=She saw his dog.
2-1\t13-16\tShe\t_\t_\tpr[1]\t*->1-2
2-2\t17-20\tsaw\t_\t_\t_\t_
2-3\t21-24\this\t_\t_\tpr[2]|nam[3]\tcoref->2-2|*->3-1
2-3.1\t21-23\thi\t_\t_\t_\t_
2-4\t25-28\tdog\t_\t_\tnam[3]\t*->3-1
"""
XMI = f"""<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
    xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/coref/type.ecore">
  <cas:NULL xmi:id="0"/>
  <type:CoreferenceChain xmi:id="1" sofa="9" first="3"/>
  <type:CoreferenceChain xmi:id="2" sofa="9" first="5"/>
  <type:CoreferenceLink xmi:id="3" sofa="9" begin="0" end="3" next="4"/>
  <type:CoreferenceLink xmi:id="4" sofa="9" begin="16" end="19"/>
  <type:CoreferenceLink xmi:id="5" sofa="9" begin="8" end="11" next="6"/>
  <type:CoreferenceLink xmi:id="6" sofa="9" begin="24" end="27"/>
  <cas:Sofa xmi:id="9" sofaNum="1" sofaID="_InitialView" sofaString="{TEXT}"/>
</xmi:XMI>
"""


def write_examples(folder):
    """Write a file of each format, and return their paths by the formats' names."""
    texts = {
        "jsonl": ("a.jsonl", json.dumps({"doc_key": "a", **TEXT_LINE}) + "\n"),
        "conll": ("a.conll", CONLL),
        "corefud": ("a.conllu", COREFUD),
        "brackets": ("a.brackets.txt", BRACKETS),
        "brat": ("a.ann", BRAT),
        "sacr": ("a.sacr", SACR),
        "label-studio": ("a.json", json.dumps(LABEL_STUDIO)),
        "prodigy": ("a.prodigy.jsonl", json.dumps(PRODIGY) + "\n"),
        "inception-tsv": ("a.tsv", TSV),
        "inception-xmi": ("a.xmi", XMI),
        "text": ("plain.txt", TEXT),
        "lines": ("lines.lines", f"{TEXT}\n\n{TEXT}\r\n"),
    }
    paths = {}
    for name, (file, text) in texts.items():
        paths[name] = folder / file
        paths[name].write_text(text, encoding="utf8", newline="")
    (folder / "a.txt").write_text(TEXT, encoding="utf8")
    return paths
