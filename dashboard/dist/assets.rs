[
    Asset { name: "de-BdsoClVe.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("de-BdsoClVe.js.br") },
    Asset { name: "en-B-U1Wv4k.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("en-B-U1Wv4k.js.br") },
    Asset { name: "index-C29P3Ujk.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-C29P3Ujk.js.br") },
    Asset { name: "index-_3wV787Z.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-_3wV787Z.css.br") },
    Asset { name: "libraries-_sYapAbt.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("libraries-_sYapAbt.js.br") },
    Asset { name: "nl-CsnwIAAi.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("nl-CsnwIAAi.js.br") },
    Asset { name: "screens-Ciq4eEZg.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("screens-Ciq4eEZg.js.br") },
]
