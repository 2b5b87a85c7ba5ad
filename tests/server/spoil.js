// Add a hostile text to every field of an answer.
{
    const ask = window.fetch.bind(window), hostile = %s;
    const sent = JSON.stringify(hostile).slice(1, -1);
    const spoil = (value) =>
        typeof value === "string" ? value + hostile
        : Array.isArray(value) ? value.map(spoil)
        : value && typeof value === "object" ? Object.fromEntries(
            Object.entries(value).map(([key, one]) =>
                [key === "agreement" ? key + hostile : key, spoil(one)]))
        : value;
    window.fetch = async (path, options = {}) => {
        const body = options.body?.replaceAll(sent, "");
        const answer = await ask(path, { ...options, body });
        return new Response(JSON.stringify(spoil(await answer.json())),
            { status: answer.status });
    };
}
