[
    Asset { name: "codicon-DCmgc-ay.ttf", media: "font/ttf", brotli: include_bytes!("codicon-DCmgc-ay.ttf.br") },
    Asset { name: "console-ulqmZhJS.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("console-ulqmZhJS.js.br") },
    Asset { name: "editor-BvI7WvRt.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-BvI7WvRt.js.br") },
    Asset { name: "editor-BzAkQ9RP.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-BzAkQ9RP.css.br") },
    Asset { name: "editor-CD7_Gk-u.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor-CD7_Gk-u.js.br") },
    Asset { name: "editor-DEZoL7OW.css", media: "text/css; charset=utf-8", brotli: include_bytes!("editor-DEZoL7OW.css.br") },
    Asset { name: "editor.worker-DERb3WoQ.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("editor.worker-DERb3WoQ.js.br") },
    Asset { name: "graphql.worker-jyrO8QH3.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("graphql.worker-jyrO8QH3.js.br") },
    Asset { name: "index-CgO6uVzM.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-CgO6uVzM.js.br") },
    Asset { name: "index-DrWXtp5g.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-DrWXtp5g.css.br") },
    Asset { name: "json.worker-BoMnvqI7.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("json.worker-BoMnvqI7.js.br") },
]
