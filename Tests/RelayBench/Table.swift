import Foundation

/// The figures of one load, ours beside theirs, with the targets.
struct Table {
  let load: Load
  private var figures: [BrokerProcess.Kind: [Figures]] = [:]

  init(load: Load) { self.load = load }

  mutating func add(_ figures: Figures, of kind: BrokerProcess.Kind) {
    self.figures[kind, default: []].append(figures)
  }

  func write() {
    say("\n\(load.description) (\(Int(load.deliveriesPerSecond)) deliveries/s)")
    say(row("", "matinee", "nats-server", "ratio", "target"))
    line("p50, ms", \.p50, target: 1.25)
    line("p99, ms", \.p99)
    if load.flooders > 0 {
      line("p50 beside it, ms", \.floodedP50)
      line("p99 beside it, ms", \.floodedP99)
      line("its copies a second", \.floodCopies)
    }
    line("CPU, % of a core", \.cpu, target: 1.0)
    // With fewer connections the program's libraries are most of it.
    line("memory, MiB, peak", \.peak, target: load.parties > 1 && load.flooders == 0 ? 0.5 : nil)
    line("memory, MiB, connected", \.idle)
    line("memory, MiB, own pages", \.anonymous)
    for kind in BrokerProcess.Kind.allCases {
      let lost = (figures[kind] ?? []).filter { $0.deliveries != $0.expected }
      for run in lost { say("  \(kind.rawValue): \(run.deliveries) of \(run.expected) came") }
    }
  }

  private func line(_ name: String, _ path: KeyPath<Figures, Double>, target: Double? = nil) {
    let ours = values(.relay, path)
    let theirs = values(.natsServer, path)
    var ratio = ""
    if let ours = median(ours), let theirs = median(theirs) {
      ratio = String(format: "%.2f", ours / theirs)
    }
    say(
      row(
        name, spread(ours), spread(theirs), ratio,
        target.map { String(format: "<= %.2f", $0) } ?? ""))
  }

  private func values(_ kind: BrokerProcess.Kind, _ path: KeyPath<Figures, Double>) -> [Double] {
    (figures[kind] ?? []).map { $0[keyPath: path] }.sorted()
  }

  private func median(_ ordered: [Double]) -> Double? {
    ordered.isEmpty ? nil : ordered[ordered.count / 2]
  }

  /// The median, and the range if there is one.
  private func spread(_ ordered: [Double]) -> String {
    guard let median = median(ordered) else { return "" }
    let number = { (value: Double) in String(format: value < 10 ? "%.2f" : "%.1f", value) }
    guard ordered.count > 1 else { return number(median) }
    return "\(number(median)) [\(number(ordered.first!)) to \(number(ordered.last!))]"
  }

  /// At once, even into a file.
  private func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  private func row(_ columns: String...) -> String {
    let widths = [24, 26, 26, 8, 8]
    return "  "
      + zip(columns, widths).map { text, width in
        text + String(repeating: " ", count: max(0, width - text.count))
      }.joined()
  }
}
