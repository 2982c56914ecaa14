/**
 * Screenshots of every view, light and dark, wide and narrow: node dev/screenshots.mjs page.html folder
 *
 * Fails on console errors, requests to other hosts, horizontal scrolling and serious findings of axe-core. Keyboard
 * shortcuts and the Content-Security-Policy are tested in tests/interfaces/viewer.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [, , page = "fixture.html", folder = "screenshots"] = process.argv;
const address = /^https?:/.test(page) ? page : pathToFileURL(resolve(page)).href;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } };
const problems = [];
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", headless: true, args: FLAGS.split(" ") });
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"]) {
    // The page's policy would block axe-core.
    const context = await browser.newContext({ viewport, colorScheme, bypassCSP: true });
    await visitAll(await context.newPage(), `${size}-${colorScheme}`);
    await context.close();
  }
}
await browser.close();
for (const problem of problems) console.error(problem);
console.log(`${problems.length} problems`);
process.exitCode = problems.length ? 1 : 0;

async function visitAll(tab, name) {
  listen(tab, name);
  await tab.goto(address);
  await tab.waitForSelector("h1");
  const hasComparison = (await tab.locator('a[href="#/compare"]').count()) > 0;
  await shot(tab, `${name}-overview`);
  if (hasComparison) await visit(tab, "#/compare", `${name}-compare`);
  await visit(tab, "#/run/0/samples", `${name}-samples`);
  const links = await tab
    .locator(".rows tbody th a")
    .evaluateAll((elements) => elements.map((link) => link.getAttribute("href")));
  const wanted = ["factorial", "two_thousand", "script", "sample_571", "HumanEval_55"];
  const chosen = wanted.flatMap((part) => links.find((link) => link.includes(part)) ?? []);
  for (const link of [links[0], ...chosen]) await visit(tab, link, `${name}-sample-${links.indexOf(link)}`);
  await visit(tab, `${links[0]}?tokens=1`, `${name}-sample-tokens`);
  await visit(tab, "#/run/0/sample/missing", `${name}-missing`);
}

async function visit(tab, hash, name) {
  await tab.evaluate((to) => (location.hash = to), hash);
  await tab.waitForTimeout(400);
  await shot(tab, name);
}

async function shot(tab, name) {
  // CodeMirror measures itself when it scrolls into view.
  await tab.evaluate(() => document.querySelector(".source-view")?.scrollIntoView());
  await tab.waitForTimeout(200);
  await tab.evaluate(() => scrollTo(0, 0));
  await tab.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  const isWide = await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  if (isWide) problems.push(`${name}: scrolls horizontally`);
  await tab.evaluate(axe);
  const { violations } = await tab.evaluate(() => window.axe.run());
  for (const { id, impact, help, nodes } of violations) {
    const where = nodes.slice(0, 3).map((node) => node.html.slice(0, 120));
    const finding = `${name}: ${impact}: ${id}: ${help} (${nodes.length}) ${where.join(" | ")}`;
    if (impact === "serious" || impact === "critical") problems.push(finding);
    else console.log(finding);
  }
}

function listen(tab, name) {
  const own = address.split("#")[0];
  const api = new URL("api/", own).href;
  tab.on("console", (message) => {
    const isExpected = message.location().url.endsWith("id=missing");
    if (message.type() === "error" && !isExpected) problems.push(`${name}: console: ${message.text()}`);
  });
  tab.on("pageerror", (error) => problems.push(`${name}: ${error}`));
  tab.on("dialog", (dialog) => {
    problems.push(`${name}: a script in the data was executed: ${dialog.message()}`);
    void dialog.dismiss();
  });
  tab.on("request", (request) => {
    const url = request.url().split("#")[0];
    if (url !== own && !(url.startsWith(api) && !own.startsWith("file:")) && !url.startsWith("data:"))
      problems.push(`${name}: requested ${url}`);
  });
}
