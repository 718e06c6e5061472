@testable import TerminalVideo

/// A model of a terminal that shows sixels, as DEC STD 070 and xterm's `ctlseqs` define them.
struct SixelTerminal {
  let columns: Int
  let rows: Int
  let cell: (width: Int, height: Int)
  /// The pixels as 0x00RRGGBB, row by row; nil for one that shows no picture.
  private(set) var pixels: [UInt32?]
  private(set) var surprises: [String] = []
  /// The sizes of the pictures that were sent.
  private(set) var sizes: [(width: Int, height: Int)] = []
  /// The numbers of the colours that were set.
  private(set) var registers: Set<Int> = []

  init(columns: Int, rows: Int, cell: (width: Int, height: Int)) {
    (self.columns, self.rows, self.cell) = (columns, rows, cell)
    pixels = Array(repeating: nil, count: columns * cell.width * rows * cell.height)
  }

  var width: Int { columns * cell.width }

  /// Lets another program write there.
  mutating func erase(_ area: CellArea) {
    for y in area.row * cell.height..<(area.row + area.rows) * cell.height {
      for x in area.column * cell.width..<(area.column + area.columns) * cell.width {
        pixels[y * width + x] = nil
      }
    }
  }

  mutating func feed(_ bytes: [UInt8]) {
    var cursor = (column: 0, row: 0)
    for sequence in String(decoding: bytes, as: UTF8.self).split(separator: "\u{1B}") {
      if sequence.hasPrefix("["), sequence.hasSuffix("H") {
        let numbers = sequence.dropFirst().dropLast().split(separator: ";").compactMap { Int($0) }
        cursor = (numbers[1] - 1, numbers[0] - 1)
      } else if sequence.hasPrefix("P0;1;0q\"1;1;") {
        draw(sequence.utf8.dropFirst(12), at: cursor)
      } else if !["7", "8", "\\", "[m", "[?2026h", "[?2026l", "[?8452h", "[?8452l"].contains(
        sequence)
      {
        surprises.append(String(sequence.prefix(20)))
      }
    }
  }

  private mutating func draw(_ data: Substring.UTF8View, at cursor: (column: Int, row: Int)) {
    var rest = data
    func number() -> Int {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      return Int(String(Substring(digits)))!
    }
    func numbers() -> [Int] {
      var all = [number()]
      while rest.first == 0x3B {
        rest = rest.dropFirst()
        all.append(number())
      }
      return all
    }
    let size = numbers()
    sizes.append((size[0], size[1]))
    var palette: [Int: UInt32] = [:]
    var (x, y, color, count) = (0, 0, UInt32(0), 1)
    while let byte = rest.popFirst() {
      switch byte {
      case 0x23:
        let values = numbers()
        if values.count == 5 {
          palette[values[0]] = values[2...].reduce(0) { $0 << 8 | UInt32(($1 * 255 + 50) / 100) }
          registers.insert(values[0])
        }
        if let set = palette[values[0]] { color = set } else { surprises.append("#\(values)") }
      case 0x21: count = number()
      case 0x24: x = 0
      case 0x2D: (x, y) = (0, y + 6)
      case 0x3F...0x7E:
        for bit in 0..<6 where (byte - 0x3F) >> UInt8(bit) & 1 == 1 {
          for column in x..<x + count { set(column, y + bit, size, color, at: cursor) }
        }
        (x, count) = (x + count, 1)
      default: surprises.append("\(byte)")
      }
    }
  }

  private mutating func set(
    _ x: Int, _ y: Int, _ size: [Int], _ color: UInt32, at cursor: (column: Int, row: Int)
  ) {
    let (column, row) = (cursor.column * cell.width + x, cursor.row * cell.height + y)
    guard x < size[0], y < size[1], column < width, row < rows * cell.height else {
      return surprises.append("pixel \(x), \(y)")
    }
    pixels[row * width + column] = color
  }
}
