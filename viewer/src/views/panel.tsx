/** A part of a page, with its title. */
import type { ComponentChildren } from "preact";

export function Panel({
  title,
  isWide = false,
  children,
}: {
  title: string;
  isWide?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section class={isWide ? "panel wide" : "panel"}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
