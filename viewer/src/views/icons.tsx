/** Icons (Lucide), and the logo: two executions that run together until one of them diverges. */
import {
  Check,
  CircleCheck,
  CircleQuestionMark,
  CircleX,
  CloudOff,
  Copy,
  type IconNode,
  Keyboard,
  Moon,
  Scissors,
  Search,
  Split,
  Sun,
  SunMoon,
  X,
} from "lucide";
import { h } from "preact";

const ICONS = {
  auto: SunMoon,
  check: Check,
  copy: Copy,
  correct: CircleCheck,
  dark: Moon,
  diverged: Split,
  incorrect: CircleX,
  infra_error: CloudOff,
  keyboard: Keyboard,
  light: Sun,
  no_answer: CircleQuestionMark,
  remove: X,
  search: Search,
  truncated: Scissors,
} satisfies Record<string, IconNode>;

export type IconName = keyof typeof ICONS;

/** An icon next to a text that says the same; without the text, its element needs an aria-label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {ICONS[name].map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path class="logo-actual" d="M3 22H29" />
      <path class="logo-predicted" d="M3 22H13C19 22 19 9 29 9" />
      <circle class="logo-divergence" cx="13" cy="22" r="3.5" />
    </svg>
  );
}
