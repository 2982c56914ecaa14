/** Light or dark theme: that of the system, or the user's choice. */
import { useEffect, useState } from "preact/hooks";
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

/** A number that changes with the theme, to redraw what is drawn on a canvas. */
export function useThemeVersion(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const increment = () => setVersion((last) => last + 1);
    const observer = new MutationObserver(increment);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", increment);
    return () => {
      observer.disconnect();
      system.removeEventListener("change", increment);
    };
  }, []);
  return version;
}
