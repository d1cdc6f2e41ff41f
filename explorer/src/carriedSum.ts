/** A sum that carries what each addition rounds off: the sums of the engine, to the last digit (cpp/data/node_statistics.hpp). */
export class CarriedSum {
  private sum = 0;
  private carry = 0;

  add(number: number): void {
    const sum = this.sum + number;
    const added = sum - this.sum;
    this.carry += this.sum - (sum - added) + (number - added);
    this.sum = sum;
  }

  addSum(other: CarriedSum): void {
    this.add(other.sum);
    this.carry += other.carry;
  }

  value(): number {
    return this.sum + this.carry;
  }
}
