/// The cells of a screen as `tmux capture-pane -e -p` prints them.
struct TerminalCells: Hashable {
  struct Cell: Hashable {
    /// A cell of a picture is one scalar; so are those of text, here.
    var character: Unicode.Scalar
    /// 24-bit colours, as `r;g;b`; nil for any other colour.
    var ink: String?
    var paper: String?

    /// The four quarters' colours; nil if the cell isn't a part of a 24-bit picture.
    ///
    /// A cell can be drawn in two ways, with the colours exchanged: both have the same quarters.
    var quarters: [String]? {
      guard let paper, let mask = Self.masks[character] else { return nil }
      return [8, 4, 2, 1].map { mask & $0 == 0 ? paper : ink ?? "" }
    }

    /// A Boolean value that indicates whether it is a part of a 24-bit picture.
    var isPicture: Bool { paper != nil && Self.masks[character] != nil }

    private static let masks: [Unicode.Scalar: Int] = [
      " ": 0, "█": 15, "▀": 12, "▄": 3, "▌": 10, "▐": 5, "▖": 2, "▗": 1, "▘": 8, "▙": 11, "▚": 9,
      "▛": 14, "▜": 13, "▝": 4, "▞": 6, "▟": 7,
    ]
  }

  private(set) var rows: [[Cell]] = []

  init(_ text: String) {
    var ink: String?
    var paper: String?
    // Few sequences differ, and a screen has thousands.
    var known: [Substring: Change] = [:]
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      var row: [Cell] = []
      var rest = line
      while let character = rest.popFirst() {
        guard character == "\u{1B}" else {
          row.append(Cell(character: character, ink: ink, paper: paper))
          continue
        }
        let sequence = rest.prefix { $0 != "m" }
        rest = rest.dropFirst(sequence.count + 1)
        let parameters = Substring(sequence.dropFirst())
        let change = known[parameters] ?? Change(parameters)
        known[parameters] = change
        if let color = change.ink { ink = color.value }
        if let color = change.paper { paper = color.value }
      }
      rows.append(row)
    }
  }

  /// The colours that one sequence sets; nil for one that it leaves.
  private struct Change {
    struct Color { var value: String? }

    var ink: Color?
    var paper: Color?

    init(_ parameters: Substring) {
      var rest = parameters.split(separator: ";", omittingEmptySubsequences: false)[...]
      while let first = rest.popFirst() {
        switch first {
        case "", "0": (ink, paper) = (Color(), Color())
        case "38", "48":
          var color = Color()
          if rest.popFirst() == "2" {
            color.value = rest.prefix(3).joined(separator: ";")
            rest = rest.dropFirst(3)
          } else {
            rest = rest.dropFirst()
          }
          if first == "38" { ink = color } else { paper = color }
        case "39": ink = Color()
        case "49": paper = Color()
        default: break
        }
      }
    }
  }

  /// The picture's cells, by row: nil for other cells.
  var picture: [[[String]?]] { rows.map { $0.map(\.quarters) } }

  /// The number of cells that show the picture.
  var pictureCells: Int { rows.joined().count(where: \.isPicture) }

  /// The number of cells that are kept free for the picture and don't show it.
  var holes: Int { rows.joined().count { $0.character == "\u{A0}" && $0.paper == nil } }
}
