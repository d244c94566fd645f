[
    Asset { name: "de-OEI2gV-F.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("de-OEI2gV-F.js.br") },
    Asset { name: "en-LS7uFSwI.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("en-LS7uFSwI.js.br") },
    Asset { name: "index-767DDURl.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-767DDURl.css.br") },
    Asset { name: "index-BSQHoCMN.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-BSQHoCMN.js.br") },
    Asset { name: "libraries-_sYapAbt.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("libraries-_sYapAbt.js.br") },
    Asset { name: "nl-b3vB7p0o.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("nl-b3vB7p0o.js.br") },
    Asset { name: "screens-DvhN-f3y.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("screens-DvhN-f3y.js.br") },
]
