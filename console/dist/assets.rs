[
    Asset { name: "codicon-DCmgc-ay.ttf", media: "font/ttf", brotli: include_bytes!("codicon-DCmgc-ay.ttf.br") },
    Asset { name: "console-ulqmZhJS.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("console-ulqmZhJS.js.br") },
    Asset { name: "editor-BzAkQ9RP.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-BzAkQ9RP.css.br") },
    Asset { name: "editor-CD7_Gk-u.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-CD7_Gk-u.js.br") },
    Asset { name: "editor-ChQuQroF.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-ChQuQroF.js.br") },
    Asset { name: "editor-DEZoL7OW.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-DEZoL7OW.css.br") },
    Asset { name: "editor.worker-DERb3WoQ.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor.worker-DERb3WoQ.js.br") },
    Asset { name: "graphql.worker-jyrO8QH3.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("graphql.worker-jyrO8QH3.js.br") },
    Asset { name: "index-3BkyURGs.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-3BkyURGs.js.br") },
    Asset { name: "index-Dxbh53W6.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-Dxbh53W6.css.br") },
    Asset { name: "json.worker-BoMnvqI7.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("json.worker-BoMnvqI7.js.br") },
]
