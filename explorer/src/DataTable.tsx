// Rows of the table of data, in a box of their own that scrolls.
import type { ComponentChildren } from "preact";
import type { About, Value } from "./messages";
import { cut } from "./words";

export interface DataRow {
  row: number;
  head: ComponentChildren;
  labels: number[]; // classes, by number
  values: Value[];
  class?: string;
}

interface Properties {
  about: About;
  label: string;
  labels: string[]; // what the classes are, such as actual and predicted
  rows: DataRow[];
}

export function DataTable({ about, label, labels, rows }: Properties) {
  return (
    <div class="hb-scroll hb-rows-table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {["row", ...labels, ...about.columns.map((column) => column.name)].map((name, index) => (
              <th scope="col" key={index} title={name}>{cut(name, 16)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.row} class={one.class}>
              <th scope="row">{one.head}</th>
              {one.labels.map((number, index) => (
                <td key={index}>{about.classes[number]}</td>
              ))}
              {one.values.map((value, index) => (
                <td key={`value ${index}`}>{value === null ? "–" : cut(String(value), 18)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
