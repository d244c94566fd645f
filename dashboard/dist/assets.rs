[
    Asset { name: "de-CcbNxIAO.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("de-CcbNxIAO.js.br") },
    Asset { name: "en-C_2qcMc7.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("en-C_2qcMc7.js.br") },
    Asset { name: "index-CM9L8_NT.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-CM9L8_NT.js.br") },
    Asset { name: "index-_3wV787Z.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-_3wV787Z.css.br") },
    Asset { name: "libraries-_sYapAbt.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("libraries-_sYapAbt.js.br") },
    Asset { name: "nl-CixJrors.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("nl-CixJrors.js.br") },
    Asset { name: "screens-B7Rzj6pY.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("screens-B7Rzj6pY.js.br") },
]
