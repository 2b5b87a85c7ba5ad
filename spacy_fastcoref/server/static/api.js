// Talk to the server. Whatever goes wrong becomes an Error with a message to show.

// The token is in the address that the server prints, and stays in this tab.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", location.pathname);
}
const token = sessionStorage.getItem("token");

async function ask(path, body, signal) {
  const options = { signal, headers: token ? { authorization: `Bearer ${token}` } : {} };
  if (body) {
    options.method = "POST";
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is it still running?");
  }
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw new Error(problem.detail || `The server answered ${answer.status}.`);
}

export async function getInfo() {
  return (await ask("/pipelines")).json();
}

export async function resolve(request, signal) {
  const answer = await (await ask("/coref", request, signal)).json();
  return answer.documents[0];
}

export async function save(request, kind) {
  const blob = await (await ask(`/corpus/${kind}`, request)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `coref.${kind}`;
  link.click();
  URL.revokeObjectURL(link.href);
}
