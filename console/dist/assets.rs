[
    Asset { name: "codicon-DCmgc-ay.ttf", media: "font/ttf", brotli: include_bytes!("codicon-DCmgc-ay.ttf.br") },
    Asset { name: "console-ulqmZhJS.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("console-ulqmZhJS.js.br") },
    Asset { name: "editor-BeTMIl44.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-BeTMIl44.js.br") },
    Asset { name: "editor-BzAkQ9RP.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-BzAkQ9RP.css.br") },
    Asset { name: "editor-CD7_Gk-u.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-CD7_Gk-u.js.br") },
    Asset { name: "editor-DEZoL7OW.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-DEZoL7OW.css.br") },
    Asset { name: "editor.worker-DERb3WoQ.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor.worker-DERb3WoQ.js.br") },
    Asset { name: "graphql.worker-jyrO8QH3.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("graphql.worker-jyrO8QH3.js.br") },
    Asset { name: "index-CB6FtQns.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-CB6FtQns.css.br") },
    Asset { name: "index-DKCYGdLe.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-DKCYGdLe.js.br") },
    Asset { name: "json.worker-BoMnvqI7.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("json.worker-BoMnvqI7.js.br") },
]
