@testable import TerminalVideo

/// A model of a terminal with the functions that pictures need, controlled by bytes.
struct PictureTerminal {
  struct Cell: Hashable {
    var ink: UInt32 = 0
    var paper: UInt32 = 0
    /// The mask of ``PictureEncoder``; nil for a character that isn't a block.
    var mask: UInt8?
  }

  let columns: Int
  let rows: Int
  private(set) var cells: [Cell]
  /// The number of cells written; `surprises` has the sequences that it doesn't know.
  private(set) var writes = 0
  private(set) var surprises: [String] = []
  /// A Boolean value that indicates whether an update is held back (`DECSET 2026`).
  private(set) var isHeld = false
  private(set) var cursor = (column: 3, row: 1)
  private var saved: (column: Int, row: Int)?
  private var pen = Cell()

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Cell(), count: columns * rows)
  }

  /// Lets another program write there.
  mutating func erase(_ area: CellArea) {
    for row in area.row..<area.row + area.rows {
      for column in area.column..<area.column + area.columns {
        cells[row * columns + column] = Cell()
      }
    }
  }

  mutating func feed(_ bytes: [UInt8]) {
    var text = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    while let scalar = text.popFirst() {
      if scalar != "\u{1B}" {
        put(scalar)
        continue
      }
      switch text.popFirst() {
      case "7": saved = cursor
      case "8": if let saved { cursor = saved } else { surprises.append("ESC 8 of nothing") }
      case "[":
        let parameters = text.prefix { !("@"..."~").contains($0) }
        text = text.dropFirst(parameters.count)
        control(String(String.UnicodeScalarView(parameters)), text.popFirst() ?? " ")
      case let other: surprises.append("ESC \(String(describing: other))")
      }
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let masks: [UInt32: UInt8] = [
      0x20: 0, 0x2588: 15, 0x2580: 12, 0x2584: 3, 0x258C: 10, 0x2590: 5, 0x2596: 2, 0x2597: 1,
      0x2598: 8, 0x2599: 11, 0x259A: 9, 0x259B: 14, 0x259C: 13, 0x259D: 4, 0x259E: 6, 0x259F: 7,
    ]
    guard cursor.column < columns, cursor.row < rows, let mask = masks[scalar.value] else {
      return surprises.append("\(scalar) at \(cursor)")
    }
    cells[cursor.row * columns + cursor.column] = Cell(
      ink: pen.ink, paper: pen.paper, mask: mask)
    writes += 1
    cursor.column += 1
  }

  private mutating func control(_ parameters: String, _ final: Unicode.Scalar) {
    let numbers = parameters.split(separator: ";").compactMap { Int($0) }
    switch final {
    case "H": cursor = (numbers[1] - 1, numbers[0] - 1)
    case "C": cursor.column += numbers.first ?? 1
    case "m": attributes(numbers)
    case "h" where parameters == "?2026": isHeld = true
    case "l" where parameters == "?2026": isHeld = false
    default: surprises.append("CSI \(parameters) \(final)")
    }
  }

  private mutating func attributes(_ numbers: [Int]) {
    var rest = numbers[...]
    if rest.isEmpty { pen = Cell() }
    while let first = rest.popFirst() {
      guard first == 38 || first == 48, let kind = rest.popFirst() else {
        return surprises.append("SGR \(numbers)")
      }
      let color: UInt32
      if kind == 2 {
        let channels = rest.prefix(3).map { UInt32($0) }
        rest = rest.dropFirst(3)
        color = channels[0] << 16 | channels[1] << 8 | channels[2]
      } else {
        color = XtermPalette.colors[rest.popFirst() ?? 0]
      }
      if first == 38 { pen.ink = color } else { pen.paper = color }
    }
  }

  /// Returns the colour of one quarter of a cell: upper left, upper right, lower left, lower right.
  func color(column: Int, row: Int, quarter: Int) -> UInt32? {
    let cell = cells[row * columns + column]
    guard let mask = cell.mask else { return nil }
    return mask & (8 >> UInt8(quarter)) != 0 ? cell.ink : cell.paper
  }
}
