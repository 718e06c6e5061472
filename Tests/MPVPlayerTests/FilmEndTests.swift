import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("The end of a film")
struct FilmEndTests {
  private func reading(
    until end: Double? = nil, isOver: Bool = true, byte: Int64? = nil, of size: Int64? = nil
  ) -> FilmEnd.Reading {
    var cache: [String: MPVValue] = ["eof": .flag(isOver)]
    if let end { cache["cache-end"] = .double(end) }
    return FilmEnd.Reading(
      cache: .map(cache), byte: byte.map { .integer($0) } ?? .none,
      size: size.map { .integer($0) } ?? .none)
  }

  private func film(
    _ duration: MediaTime? = 100.0, isRemote: Bool = false, isSegmented: Bool = false,
    log: String...
  ) -> FilmEnd.Film {
    var complaints = FilmEnd.Complaints()
    for line in log { complaints.logged(line) }
    return FilmEnd.Film(
      duration: duration, isRemote: isRemote, isSegmented: isSegmented, complaints: complaints)
  }

  private func end(
    _ reported: MediaTime?, target: MediaTime? = nil, _ reading: FilmEnd.Reading,
    _ film: FilmEnd.Film
  ) -> FilmEnd.End {
    FilmEnd.end(reported: reported, target: target, reading, of: film)
  }

  @Test("Within two seconds of the promised duration it is the end, of every film")
  func promised() {
    for film in [film(), film(isRemote: true), film(nil, isRemote: true)] {
      #expect(end(98.0, reading(until: 98), film) == .ended(at: 98.0, isEarly: false))
    }
    #expect(end(100.1, reading(byte: 995, of: 1000), film()) == .ended(at: 100.0, isEarly: false))
    #expect(end(nil, reading(until: 99), film(isRemote: true)) == .ended(at: 100.0, isEarly: false))
  }

  @Test("A file read to its last byte ends there: the promise was an estimate or another stream's")
  func estimate() {
    for isRemote in [false, true] {
      let film = film(isRemote: isRemote)
      let whole = reading(until: 12, byte: 1_107_630, of: 1_108_141)
      #expect(end(12.0, whole, film) == .ended(at: 12.0, isEarly: false))
    }
  }

  @Test("The rest is missing if the file's own headers say so, or if it can't be read")
  func early() {
    let whole = reading(byte: 2_499_798, of: 2_503_047)
    let cut = film(log: "stream 1, offset 0x2632fe: partial file")
    #expect(end(26.9, whole, cut) == .ended(at: 26.9, isEarly: true))
    let unread = reading(byte: 1_000_000, of: 2_503_047)
    #expect(end(11.0, unread, film()) == .ended(at: 11.0, isEarly: true))
  }

  @Test("If nothing can be read at a seek's target, the film ends there at the latest")
  func nothingThere() {
    let nothing = reading(of: 2_503_047)
    for isRemote in [false, true] {
      for reported in [nil, 100.0, 50.0] as [MediaTime?] {
        #expect(
          end(reported, target: 50.0, nothing, film(isRemote: isRemote))
            == .ended(at: 50.0, isEarly: true))
      }
      #expect(
        end(100.0, target: 99.0, nothing, film(isRemote: isRemote))
          == .ended(at: 100.0, isEarly: false))
    }
  }

  @Test("Of a film over a network the server is lost if more is there, or if reading failed")
  func lost() {
    let film = film(isRemote: true)
    #expect(end(40.0, reading(until: 40, byte: 40, of: 1 << 30), film) == .connectionLost)
    #expect(end(nil, target: 50.0, reading(), film) == .connectionLost, "no size, no server")
    let failed = self.film(isRemote: true, log: "Will reconnect at 2490368 in 1 second(s)")
    #expect(end(nil, target: 50.0, reading(of: 1000), failed) == .connectionLost)
    // Data that arrived later shows that the server came back.
    var complaints = failed.complaints
    complaints.dataArrived()
    #expect(!complaints.hasFailed)
  }

  @Test("A stream in parts ends with its last part, whatever the times of inserted parts are")
  func parts() {
    let list = reading(until: 40, of: 424)
    #expect(
      end(40.0, list, film(46.0, isRemote: true, isSegmented: true))
        == .ended(at: 40.0, isEarly: false))
    #expect(
      end(
        24.0, reading(until: 24, of: 515),
        film(60.0, isRemote: true, isSegmented: true, log: "Failed to open segment 6 of playlist 0")
      ) == .connectionLost)
  }

  @Test("A film is cut off where its data ends and no more comes")
  func cutOff() {
    func isCutOff(_ position: MediaTime, _ reading: FilmEnd.Reading, isRemote: Bool = true) -> Bool
    {
      FilmEnd.isCutOff(at: position, reading, of: film(isRemote: isRemote))
    }
    #expect(isCutOff(39.5, reading(until: 40)))
    #expect(!isCutOff(39.5, reading(until: 40, isOver: false)), "more data comes")
    #expect(!isCutOff(38.0, reading(until: 40)), "some data is left")
    #expect(!isCutOff(39.5, reading(until: 40), isRemote: false))
    #expect(!isCutOff(39.5, reading(until: 40, byte: 999, of: 1000)), "all of it was read")
    #expect(!isCutOff(99.5, reading(until: 100)), "the film's own end")
    #expect(isCutOff(50.0, reading()), "an empty cache")
    #expect(isCutOff(100.0, reading()), "nothing arrived at the end")
  }

  @Test("A place at which nothing can be read was chosen by nobody")
  func landing() {
    func landing(
      _ position: MediaTime, _ reading: FilmEnd.Reading, isOwn: Bool = false,
      of film: FilmEnd.Film
    ) -> FilmEnd.Landing { FilmEnd.landing(at: position, isOwn: isOwn, reading, of: film) }
    let remote = film(isRemote: true)
    for end in [nil, 40] as [Double?] {
      let coming = reading(until: end, isOver: false)
      #expect(landing(100.0, coming, of: remote) == .undecided)
      #expect(landing(100.0, reading(until: end), of: remote) == .connectionLost)
      #expect(landing(100.0, coming, of: film(nil, isRemote: true)) == .chosen)
      #expect(landing(100.0, coming, of: film()) == .chosen)
      #expect(landing(50.0, coming, of: remote) == .chosen)
    }
    #expect(landing(39.5, reading(until: 40), of: remote) == .connectionLost)
    #expect(landing(99.5, reading(until: 100), of: remote) == .chosen)
    // A local file that can't be read to its end.
    #expect(landing(100.0, reading(of: 1000), of: film()) == .unreadable, "a user's key")
    #expect(landing(100.0, reading(of: 1000), isOwn: true, of: film()) == .undecided)
    #expect(landing(27.0, reading(byte: 999, of: 1000), isOwn: true, of: film()) == .undecided)
    #expect(landing(10.0, reading(until: 11, isOver: false), isOwn: true, of: film()) == .chosen)
  }

  @Test("All of a film was read that is complete, at its promised end")
  func whole() {
    let all = reading(byte: 999, of: 1000)
    #expect(all.isUsedUp && !reading(until: 99).isUsedUp && !reading(isOver: false).isUsedUp)
    #expect([50.0, 99.9, 4000.0].map { film().isWhole(all, at: $0) } == [false, true, false])
    #expect(!film(nil).isWhole(all, at: 99.9) && !film(log: "partial file").isWhole(all, at: 99.9))
    #expect(!film().isWhole(reading(byte: 1 << 20, of: 1 << 30), at: 99.9))
  }

  @Test("One end is reported after each command")
  func once() {
    var end = FilmEnd()
    let reports = [3, 3, 4, 4, 5].map { end.mustReport(after: $0) }
    #expect(reports == [true, false, true, false, true])
  }
}
