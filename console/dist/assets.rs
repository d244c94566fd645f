[
    Asset { name: "codicon-DCmgc-ay.ttf", media: "font/ttf", brotli: include_bytes!("codicon-DCmgc-ay.ttf.br") },
    Asset { name: "console-ulqmZhJS.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("console-ulqmZhJS.js.br") },
    Asset { name: "editor-ChZFClwp.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-ChZFClwp.js.br") },
    Asset { name: "editor-DEZoL7OW.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-DEZoL7OW.css.br") },
    Asset { name: "editor-DH88rKlS.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-DH88rKlS.js.br") },
    Asset { name: "editor-JeCDfuDd.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-JeCDfuDd.css.br") },
    Asset { name: "editor.worker-DERb3WoQ.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor.worker-DERb3WoQ.js.br") },
    Asset { name: "graphql.worker-DZiSnDkQ.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("graphql.worker-DZiSnDkQ.js.br") },
    Asset { name: "index-DJ8ntxu_.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-DJ8ntxu_.js.br") },
    Asset { name: "index-_8QzMlpK.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-_8QzMlpK.css.br") },
    Asset { name: "json.worker-BoMnvqI7.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("json.worker-BoMnvqI7.js.br") },
]
