// Colors of classes: those of Okabe and Ito, which people with any color vision can tell apart. With more classes than
// colors, the number of the class in each label tells the rest.
const COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#f0e442"];

export function colorOf(index: number): string {
  return COLORS[index % COLORS.length];
}
