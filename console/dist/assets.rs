[
    Asset { name: "codicon-DCmgc-ay.ttf", media: "font/ttf", brotli: include_bytes!("codicon-DCmgc-ay.ttf.br") },
    Asset { name: "console-ulqmZhJS.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("console-ulqmZhJS.js.br") },
    Asset { name: "editor-3szmNwtb.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-3szmNwtb.js.br") },
    Asset { name: "editor-DEZoL7OW.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-DEZoL7OW.css.br") },
    Asset { name: "editor-DlO5YC40.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-DlO5YC40.js.br") },
    Asset { name: "editor-JeCDfuDd.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-JeCDfuDd.css.br") },
    Asset { name: "editor.worker-DERb3WoQ.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor.worker-DERb3WoQ.js.br") },
    Asset { name: "graphql.worker-jyrO8QH3.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("graphql.worker-jyrO8QH3.js.br") },
    Asset { name: "index-BQrYNYvR.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-BQrYNYvR.css.br") },
    Asset { name: "index-O6ntf6nS.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-O6ntf6nS.js.br") },
    Asset { name: "json.worker-BoMnvqI7.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("json.worker-BoMnvqI7.js.br") },
]
