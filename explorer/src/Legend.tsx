// Which color is which class.
import { colorOf } from "./colors";
import type { About } from "./messages";
import { cut } from "./words";

const MOST = 12;

export function Legend({ about }: { about: About }) {
  return (
    <ul class="hb-legend" aria-label={`Classes of ${about.target}`}>
      <li class="hb-target" title={about.target}>{cut(about.target, 30)}:</li>
      {about.classes.slice(0, MOST).map((name, index) => (
        <li key={index} title={name}>
          <span class="hb-swatch" style={{ background: colorOf(index) }} />
          {cut(name, 24)}
        </li>
      ))}
      {about.classes.length > MOST && <li>and {about.classes.length - MOST} more classes</li>}
    </ul>
  );
}
