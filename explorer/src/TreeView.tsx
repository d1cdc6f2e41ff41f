// The tree as a picture that can be zoomed, and walked through by keyboard.
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomBehavior } from "d3-zoom";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { colorOf } from "./colors";
import { HEIGHT, layOut, WIDTH, type Placed } from "./layout";
import type { About, TreeNode } from "./messages";
import { conditionText, cut, exact, parts, percent } from "./words";

interface Properties {
  about: About;
  tree: TreeNode;
  selected: string | null;
  followed: string | null; // the leaf of a row whose way is shown
  onSelect: (place: string) => void;
  label: string;
}

export function TreeView({ about, tree, selected, followed, onSelect, label }: Properties) {
  const svg = useRef<SVGSVGElement>(null);
  const zooming = useRef<ZoomBehavior<SVGSVGElement, unknown>>();
  const [transform, setTransform] = useState(zoomIdentity);
  const [hovered, setHovered] = useState<string | null>(null);
  const layout = useMemo(() => layOut(tree), [tree]);
  const at = useMemo(() => new Map(layout.nodes.map((one) => [one.place, one])), [layout]);

  const fit = () => {
    const box = svg.current!.getBoundingClientRect();
    if (!box.width || !box.height) return;
    const scale = Math.min(1.25, (box.width - 24) / layout.width, (box.height - 24) / layout.height);
    const least = Math.max(scale, 0.45); // below this nothing can be read: the tree is larger than its place
    const x = (box.width - layout.width * least) / 2;
    const y = Math.max(12, (box.height - layout.height * least) / 3);
    const start = least > scale ? (box.width - 2 * at.get("")!.x * least) / 2 : x;
    select(svg.current!).call(zooming.current!.transform, zoomIdentity.translate(start, y).scale(least));
  };

  useEffect(() => {
    zooming.current = zoom<SVGSVGElement, unknown>()
      .scaleExtent([0.1, 4])
      .on("zoom", (event) => setTransform(event.transform));
    const picture = select(svg.current!);
    picture.call(zooming.current).on("dblclick.zoom", null);
    const observer = new ResizeObserver(() => fitRef.current());
    observer.observe(svg.current!);
    return () => {
      observer.disconnect();
      picture.on(".zoom", null);
    };
  }, []);
  const fitRef = useRef(fit);
  fitRef.current = fit;
  useEffect(fit, [layout.width, layout.height]);

  const scaleBy = (factor: number) => select(svg.current!).call(zooming.current!.scaleBy, factor);
  const focus = (place: string) => {
    if (at.has(place)) svg.current!.querySelector<SVGGElement>(`[data-place="${place}"]`)!.focus();
  };
  const onKey = (event: KeyboardEvent, place: string) => {
    const parent = place.slice(0, -1);
    const moves: Record<string, () => void> = {
      ArrowUp: () => place && focus(parent),
      ArrowDown: () => focus(place + "T"),
      ArrowLeft: () => focus(place.endsWith("F") ? parent + "T" : place + "T"),
      ArrowRight: () => focus(place.endsWith("T") ? parent + "F" : place + "F"),
      Enter: () => onSelect(place),
      " ": () => onSelect(place),
      "+": () => scaleBy(1.25),
      "-": () => scaleBy(0.8),
      "0": fit,
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  };

  const way = hovered ?? followed;
  const isOnWay = (place: string) => way !== null && way.startsWith(place);
  const total = tree.rows;
  return (
    <div class="hb-tree">
      <svg ref={svg} role="group" aria-label={label} class="hb-picture">
        <g transform={transform.toString()}>
          {layout.nodes.map((one) => one.place && <Edge from={at.get(one.place.slice(0, -1))!} to={one} total={total} onWay={isOnWay(one.place)} />)}
          {layout.nodes.map((one) => (
            <Node
              key={one.place}
              about={about}
              placed={one}
              isSelected={one.place === selected}
              isFollowed={followed !== null && followed.startsWith(one.place)}
              total={total}
              onSelect={onSelect}
              onKey={onKey}
              onHover={setHovered}
            />
          ))}
        </g>
      </svg>
      <div class="hb-zoom">
        <button type="button" aria-label="Zoom in" onClick={() => scaleBy(1.25)}>+</button>
        <button type="button" aria-label="Zoom out" onClick={() => scaleBy(0.8)}>−</button>
        <button type="button" aria-label="Show the whole tree" onClick={fit}>⤢</button>
      </div>
    </div>
  );
}

function Edge({ from, to, total, onWay }: { from: Placed; to: Placed; total: number; onWay: boolean }) {
  const y = from.y + HEIGHT;
  const middle = (y + to.y) / 2;
  const width = 1.5 + 9 * (to.node.rows / total);
  return (
    <g class={onWay ? "hb-edge hb-on-way" : "hb-edge"}>
      <path d={`M${from.x},${y}C${from.x},${middle} ${to.x},${middle} ${to.x},${to.y}`} stroke-width={width} />
      <text x={to.x + (from.x - to.x) * 0.28} y={to.y - 10} class="hb-answer">
        {to.place.endsWith("T") ? "yes" : "no"}
      </text>
    </g>
  );
}

interface NodeProperties {
  about: About;
  placed: Placed;
  isSelected: boolean;
  isFollowed: boolean;
  total: number;
  onSelect: (place: string) => void;
  onKey: (event: KeyboardEvent, place: string) => void;
  onHover: (place: string | null) => void;
}

function Node({ about, placed, isSelected, isFollowed, total, onSelect, onKey, onHover }: NodeProperties) {
  const { node, place } = placed;
  const isLeaf = node.split === undefined;
  const sum = node.weights.reduce((a, b) => a + b, 0);
  const share = node.weights[node.prediction] / sum;
  const predicted = about.classes[node.prediction];
  const condition = isLeaf ? null : about.conditions[node.split!];
  const what = condition ? conditionText(condition) : `predict ${predicted}`;
  const name = `${what}; ${exact(String(node.rows))} rows, ${percent(share)} ${predicted}${node.fixed ? "; fixed" : ""}`;
  const [top, bottom] = condition ? parts(condition, about) : [predicted, percent(share)];
  let offset = 0;
  const classes = ["hb-node", isLeaf && "hb-leaf", node.fixed && "hb-fixed", isSelected && "hb-selected", isFollowed && "hb-on-way"];
  return (
    <g
      class={classes.filter(Boolean).join(" ")}
      transform={`translate(${placed.x - WIDTH / 2},${placed.y})`}
      role="button"
      tabindex={place === "" ? 0 : -1}
      aria-label={name}
      aria-pressed={isSelected}
      data-place={place}
      onClick={() => onSelect(place)}
      onKeyDown={(event) => onKey(event, place)}
      onMouseEnter={() => onHover(place)}
      onMouseLeave={() => onHover(null)}
    >
      <title>{name}</title>
      <rect class="hb-card" width={WIDTH} height={HEIGHT} rx={isLeaf ? 20 : 8} />
      {isLeaf && <rect class="hb-mark" x={12} y={14} width={14} height={14} rx={3} fill={colorOf(node.prediction)} />}
      <text class="hb-name" x={isLeaf ? 32 : WIDTH / 2} y={26} text-anchor={isLeaf ? "start" : "middle"}>
        {cut(top || bottom, isLeaf ? 14 : 19)}
      </text>
      <text class="hb-test" x={isLeaf ? 32 : WIDTH / 2} y={45} text-anchor={isLeaf ? "start" : "middle"}>
        {top ? cut(bottom, isLeaf ? 15 : 20) : ""}
      </text>
      {node.weights.map((weight, index) => {
        const width = ((WIDTH - 24) * weight) / sum;
        const bar = <rect x={12 + offset} y={55} width={width} height={11} fill={colorOf(index)} />;
        offset += width;
        return weight > 0 && bar;
      })}
      <text class="hb-rows" x={WIDTH / 2} y={82} text-anchor="middle">
        {exact(String(node.rows))} rows · {percent(node.rows / total)}
      </text>
      {node.fixed && <path class="hb-pin" d={`M${WIDTH - 18},10 l6,6 l-3,1 l-4,4 l-1,3 l-6,-6 l3,-1 l4,-4 z`} />}
    </g>
  );
}
