[
    Asset { name: "de-B9I_liKa.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("de-B9I_liKa.js.br") },
    Asset { name: "en-BFMXyQYY.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("en-BFMXyQYY.js.br") },
    Asset { name: "index-D-1CqvmS.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-D-1CqvmS.js.br") },
    Asset { name: "index-_3wV787Z.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-_3wV787Z.css.br") },
    Asset { name: "libraries-_sYapAbt.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("libraries-_sYapAbt.js.br") },
    Asset { name: "nl-fjv2M6EK.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("nl-fjv2M6EK.js.br") },
    Asset { name: "screens-CDT3IOEF.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("screens-CDT3IOEF.js.br") },
]
