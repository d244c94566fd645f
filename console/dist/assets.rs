[
    Asset { name: "codicon-DCmgc-ay.ttf", media: "font/ttf", brotli: include_bytes!("codicon-DCmgc-ay.ttf.br") },
    Asset { name: "console-ulqmZhJS.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("console-ulqmZhJS.js.br") },
    Asset { name: "editor-DEZoL7OW.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-DEZoL7OW.css.br") },
    Asset { name: "editor-DlO5YC40.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-DlO5YC40.js.br") },
    Asset { name: "editor-DuWYV8jL.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-DuWYV8jL.js.br") },
    Asset { name: "editor-JeCDfuDd.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-JeCDfuDd.css.br") },
    Asset { name: "editor.worker-DERb3WoQ.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor.worker-DERb3WoQ.js.br") },
    Asset { name: "graphql.worker-jyrO8QH3.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("graphql.worker-jyrO8QH3.js.br") },
    Asset { name: "index-B70wfYB1.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-B70wfYB1.js.br") },
    Asset { name: "index-Cd7fS3o0.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-Cd7fS3o0.css.br") },
    Asset { name: "json.worker-BoMnvqI7.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("json.worker-BoMnvqI7.js.br") },
]
