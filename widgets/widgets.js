// @ts-check
// All widgets in one module.

import "./transparency-app.js";
