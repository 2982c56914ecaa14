/** Starts the page. */
import { render } from "preact";
import { findSource } from "./source/find";
import "uplot/dist/uPlot.min.css";
import "./styles.css";
import { App } from "./views/app";
import { restoreTheme } from "./views/theme";

restoreTheme();
const place = document.getElementById("app");
if (place) render(<App source={findSource(document)} />, place);
