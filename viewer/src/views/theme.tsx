/** Light or dark: as the system says, or as chosen here. */
import { useEffect, useState } from "preact/hooks";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const KEY = "worldline-theme";

export function restoreTheme(): void {
  document.documentElement.dataset["theme"] = stored();
}

function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto"; // A page may be forbidden to keep anything.
  }
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(stored);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
  const choose = () => {
    setTheme(next);
    document.documentElement.dataset["theme"] = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Then it holds until the page is closed.
    }
  };
  return (
    <button type="button" onClick={choose} title={`change to ${next}`}>
      theme: {theme}
    </button>
  );
}

/** Changes whenever the colours do: for what is painted, not styled. */
export function useColours(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const change = () => setChanges((last) => last + 1);
    const observer = new MutationObserver(change);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", change);
    return () => {
      observer.disconnect();
      system.removeEventListener("change", change);
    };
  }, []);
  return changes;
}
