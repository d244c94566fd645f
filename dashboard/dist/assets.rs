[
    Asset { name: "de-BJ2geck-.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("de-BJ2geck-.js.br") },
    Asset { name: "en-Rwl4vEko.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("en-Rwl4vEko.js.br") },
    Asset { name: "index-DrFKlnXW.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("index-DrFKlnXW.js.br") },
    Asset { name: "index-Rci3sdaS.css", media: "text/css; charset=utf-8", brotli: include_bytes!("index-Rci3sdaS.css.br") },
    Asset { name: "libraries-_sYapAbt.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("libraries-_sYapAbt.js.br") },
    Asset { name: "nl-DkDDmrRG.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("nl-DkDDmrRG.js.br") },
    Asset { name: "screens-BSDRouBp.js", media: "text/javascript; charset=utf-8", brotli: include_bytes!("screens-BSDRouBp.js.br") },
]
