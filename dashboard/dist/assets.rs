[
    Asset { name: "de-BSsvFpAD.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("de-BSsvFpAD.js.br") },
    Asset { name: "en-Z1jNs1p3.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("en-Z1jNs1p3.js.br") },
    Asset { name: "index-Cb_xgETD.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-Cb_xgETD.js.br") },
    Asset { name: "index-DP0zd9Ta.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-DP0zd9Ta.css.br") },
    Asset { name: "libraries-_sYapAbt.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("libraries-_sYapAbt.js.br") },
    Asset { name: "nl-1Y86nZpS.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("nl-1Y86nZpS.js.br") },
    Asset { name: "screens-CQYXSos_.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("screens-CQYXSos_.js.br") },
]
