/** Light or dark theme: that of the system, or the user's choice. */
import { useState } from "preact/hooks";
import { Icon } from "./icons";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const STORAGE_KEY = "worldline-theme";

export function restoreTheme(): void {
  document.documentElement.dataset["theme"] = storedTheme();
}

function storedTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(STORAGE_KEY)) ?? "auto";
  } catch {
    return "auto"; // The browser may block storage.
  }
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
  const choose = () => {
    setTheme(next);
    document.documentElement.dataset["theme"] = next;
    try {
      localStorage.setItem(STORAGE_KEY, next);
    } catch {
      // Without storage, the choice lasts until the page is closed.
    }
  };
  return (
    <button type="button" onClick={choose} aria-label={`Theme: ${theme}`} title={`Theme: ${theme}. Change to ${next}`}>
      <Icon name={theme} />
    </button>
  );
}

/** The current value of a CSS colour variable. */
export function cssColour(name: string): string {
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.color = `var(${name})`;
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
