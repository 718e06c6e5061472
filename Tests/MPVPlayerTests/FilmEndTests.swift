import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("The end of a film")
struct FilmEndTests {
  private func fetched(until end: Double?, isOver: Bool) -> FilmEnd.Fetched {
    var values: [String: MPVValue] = ["eof": .flag(isOver)]
    if let end { values["cache-end"] = .double(end) }
    return FilmEnd.Fetched(.map(values))
  }

  @Test(
    "More than two seconds before the promised end it is early, and of a film over a network the server is lost"
  )
  func early() {
    #expect(
      FilmEnd.report(at: 98.0, duration: 100.0, isRemote: true) == .ended(at: 98.0, isEarly: false))
    #expect(
      FilmEnd.report(at: 97.9, duration: 100.0, isRemote: false) == .ended(at: 97.9, isEarly: true))
    #expect(FilmEnd.report(at: 97.9, duration: 100.0, isRemote: true) == .connectionLost)
    #expect(
      FilmEnd.report(at: 97.9, duration: nil, isRemote: true) == .ended(at: 97.9, isEarly: false))
  }

  @Test("It is where mpv says, and beyond all frames the end of the part that arrived")
  func position() {
    func position(
      _ reported: MediaTime?, _ fetched: FilmEnd.Fetched, target: MediaTime? = nil,
      isRemote: Bool = true
    ) -> MediaTime {
      FilmEnd.position(
        reported: reported, fetched, target: target, duration: 100.0, isRemote: isRemote)
    }
    let part = fetched(until: 40, isOver: true)
    let whole = fetched(until: 99, isOver: true)
    #expect(position(39.5, part) == 39.5)
    #expect(position(99.5, whole) == 99.5)
    #expect(position(nil, part) == 40.0)
    #expect(position(100.0, part) == 40.0, "mpv looks for the last frame at the promised duration")
    #expect(position(nil, whole) == 100.0)
    #expect(position(100.0, whole) == 100.0)
    #expect(position(nil, part, isRemote: false) == 100.0)
    #expect(position(100.0, part, isRemote: false) == 100.0)
  }

  @Test("If nothing arrived after a seek, only a seek to the end is evidence of the end")
  func nothingArrived() {
    let nothing = fetched(until: nil, isOver: true)
    func position(_ reported: MediaTime?, target: MediaTime?) -> MediaTime {
      FilmEnd.position(
        reported: reported, nothing, target: target, duration: 100.0, isRemote: true)
    }
    for reported in [nil, 100.0, 99.0] as [MediaTime?] {
      #expect(position(reported, target: 8.0) == 8.0)
      #expect(position(reported, target: 99.0) == 100.0)
      #expect(position(reported, target: nil) == 0.0)
    }
  }

  @Test("A film is cut off where its data ends and no more comes")
  func cutOff() {
    func isCutOff(_ position: MediaTime, _ fetched: FilmEnd.Fetched, isRemote: Bool = true) -> Bool
    {
      FilmEnd.isCutOff(at: position, fetched, duration: 100.0, isRemote: isRemote)
    }
    #expect(isCutOff(39.5, fetched(until: 40, isOver: true)))
    #expect(!isCutOff(39.5, fetched(until: 40, isOver: false)), "more data comes")
    #expect(!isCutOff(38.0, fetched(until: 40, isOver: true)), "some data is left")
    #expect(!isCutOff(39.5, fetched(until: 40, isOver: true), isRemote: false))
    #expect(!isCutOff(99.5, fetched(until: 100, isOver: true)), "the film's own end")
    #expect(isCutOff(50.0, fetched(until: nil, isOver: true)), "an empty cache")
    #expect(isCutOff(100.0, fetched(until: nil, isOver: true)), "nothing arrived at the end")
  }

  @Test("A place at the promised end, of which nothing arrived, was chosen by nobody")
  func landing() {
    func landing(
      _ position: MediaTime, _ fetched: FilmEnd.Fetched, duration: MediaTime? = 100.0,
      isRemote: Bool = true
    ) -> FilmEnd.Landing {
      FilmEnd.landing(at: position, fetched, duration: duration, isRemote: isRemote)
    }
    for end in [nil, 40] as [Double?] {
      #expect(landing(100.0, fetched(until: end, isOver: false)) == .undecided)
      #expect(landing(100.0, fetched(until: end, isOver: true)) == .connectionLost)
      #expect(landing(100.0, fetched(until: end, isOver: false), duration: nil) == .chosen)
      #expect(landing(100.0, fetched(until: end, isOver: false), isRemote: false) == .chosen)
      #expect(landing(50.0, fetched(until: end, isOver: false)) == .chosen)
    }
    #expect(landing(39.5, fetched(until: 40, isOver: true)) == .connectionLost)
    #expect(landing(99.5, fetched(until: 100, isOver: true)) == .chosen)
    #expect(landing(98.5, fetched(until: 99, isOver: false)) == .chosen)
  }

  @Test(
    "The end of a line is reported unless another command came, and mpv's end isn't reported after it"
  )
  func once() {
    var end = FilmEnd()
    #expect(end.isNews(after: 3))
    let isSuperseded = !end.lineEnded(after: 2, current: 3, isAtEnd: false)
    #expect(isSuperseded && end.isNews(after: 2))
    let isKnown = !end.lineEnded(after: 3, current: 3, isAtEnd: true)
    #expect(isKnown && end.isNews(after: 3))
    let isDue = end.lineEnded(after: 3, current: 3, isAtEnd: false)
    #expect(isDue && !end.isNews(after: 3) && end.isNews(after: 4))
  }
}
