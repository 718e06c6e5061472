/// A terminal's name and version, by its answer to XTVERSION (xterm's `ctlseqs`): `kitty(0.41.1)`, `ghostty 1.2.0`.
struct TerminalVersion: Hashable, Sendable {
  let name: String
  /// The numbers of the version, the most significant one first.
  let numbers: [Int]

  /// - Parameter answer: the terminal's bytes from the `P` on.
  init?(answer: some StringProtocol) {
    let prefix = "P>|"
    guard answer.hasPrefix(prefix) else { return nil }
    let words = answer.dropFirst(prefix.count).split { " ()".contains($0) }
    name = words.isEmpty ? "" : String(words[0])
    numbers =
      words.count < 2
      ? [] : words[1].split(separator: ".").map { part in Int(part.prefix { $0.isNumber }) ?? 0 }
  }

  /// A Boolean value that indicates whether the terminal draws the octants of Unicode 16 itself, whatever its font has.
  var drawsOctants: Bool {
    let first = ["kitty": [0, 40], "foot": [1, 20], "ghostty": [1, 2], "VTE": [7800]]
    return first[name].map { !numbers.lexicographicallyPrecedes($0) } ?? false
  }
}
