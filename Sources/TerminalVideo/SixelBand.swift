/// Six rows of a picture as sixels, by their colours.
struct SixelBand: Sendable {
  /// Equal columns of one colour.
  private struct Run {
    var start: Int32
    var count: Int32
    var bits: UInt8
    /// The index of the colour's next run; -1 for none.
    var next: Int32 = -1
  }

  private var runs: [Run] = []
  /// The indices of each colour's first and last run.
  private var ends = [Ends](repeating: Ends(), count: 256)
  private var colors: [UInt8] = []
  /// The rows that have a colour, in the column that is being read.
  private var bits = [UInt8](repeating: 0, count: 256)

  private struct Ends {
    var first: Int32 = -1
    var last: Int32 = -1
  }

  /// Reads the band's pixels.
  ///
  /// - Parameters:
  ///   - lines: the positions of the rows' first pixels, up to six of them.
  ///   - columns: the columns of the enlarged picture.
  ///   - factor: the number of columns that each pixel has there.
  mutating func collect(
    _ indices: UnsafeBufferPointer<UInt8>, lines: [Int], columns: Range<Int>, factor: Int
  ) {
    for color in colors { ends[Int(color)] = Ends() }
    colors.removeAll(keepingCapacity: true)
    let room = 6 * columns.count
    if runs.count < room { runs = [Run](repeating: Run(start: 0, count: 0, bits: 0), count: room) }
    var count: Int32 = 0
    runs.withUnsafeMutableBufferPointer { runs in
      ends.withUnsafeMutableBufferPointer { ends in
        bits.withUnsafeMutableBufferPointer { bits in
          var column = columns.lowerBound
          while column < columns.upperBound {
            let x = column / factor
            let end = min(columns.upperBound, (x + 1) * factor)
            var bit: UInt8 = 1
            for line in lines {
              bits[Int(indices[line + x])] |= bit
              bit <<= 1
            }
            for line in lines {
              let color = Int(indices[line + x])
              let set = bits[color]
              guard set != 0 else { continue }
              bits[color] = 0
              let start = Int32(column - columns.lowerBound)
              let before = Int(ends[color].last)
              if before < 0 {
                ends[color].first = count
                colors.append(UInt8(color))
              } else if runs[before].bits == set, runs[before].start + runs[before].count == start {
                runs[before].count += Int32(end - column)
                continue
              } else {
                runs[before].next = count
              }
              runs[Int(count)] = Run(start: start, count: Int32(end - column), bits: set)
              ends[color].last = count
              count += 1
            }
            column = end
          }
        }
      }
    }
  }

  /// Writes the band, one colour after the other.
  func write(to output: inout ControlBytes) {
    for (number, color) in colors.enumerated() {
      if number > 0 { output.byte(0x24) }
      output.byte(0x23)
      output.decimal(Int(color))
      var column = 0
      var index = Int(ends[Int(color)].first)
      while index >= 0 {
        let run = runs[index]
        Self.write(0, Int(run.start) - column, to: &output)
        Self.write(run.bits, Int(run.count), to: &output)
        column = Int(run.start + run.count)
        index = Int(run.next)
      }
    }
  }

  @inline(__always)
  private static func write(_ bits: UInt8, _ count: Int, to output: inout ControlBytes) {
    if count > 3 {
      output.byte(0x21)
      output.decimal(count)
      output.byte(0x3F + bits)
    } else {
      for _ in 0..<count { output.byte(0x3F + bits) }
    }
  }
}
