/** A name that may be broken after signs, and only elsewhere if there is no other way. */
export function Breakable({ text }: { text: string }) {
  return <>{text.split(/(?<=[_=.,/-])/).flatMap((part, index) => (index ? [<wbr key={index} />, part] : [part]))}</>;
}
