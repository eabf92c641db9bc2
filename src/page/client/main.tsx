import { render } from "preact";
import { takeToken } from "./data/token.js";
import { App } from "./app.js";

takeToken();
const place = document.querySelector("#page");
if (place !== null) render(<App />, place);
