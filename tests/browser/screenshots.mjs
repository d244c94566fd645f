// Takes screenshots of the demo's page in three languages, at three widths and in both colour schemes, and of each tab.
// Usage: node screenshots.mjs URL FOLDER

import { mkdirSync } from "node:fs";
import { launch } from "./browser.mjs";

const [url, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
const only = process.argv[4];
for (const width of [360, 768, 1280]) {
  for (const colorScheme of ["light", "dark"]) {
    for (const language of ["en", "de", "nl"]) {
      const name = `${width}-${colorScheme}-${language}`;
      if (only && !name.includes(only)) continue;
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
      const page = await context.newPage();
      await page.goto(`${url}/widgets/demo?lang=${language}`);
      await page.locator("svc-privacy .faq").last().waitFor();
      await page.screenshot({ path: `${folder}/${name}-page.png`, fullPage: true });
      const app = page.locator("transparency-app");
      for (const tab of ["overview", "consents", "rights", "privacy", "map"]) {
        await app.locator(`#tab-${tab}`).click();
        await app.locator(`#panel-${tab} h2`).waitFor();
        if (tab === "map" || tab === "consents") await app.locator(`#panel-${tab} summary`).first().click();
        await app.screenshot({ path: `${folder}/${name}-${tab}.png` });
      }
      await context.close();
    }
  }
}
await browser.close();
