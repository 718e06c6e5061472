import Testing

@testable import MPVPlayer

@Suite("Requests, observers and the end of a core")
struct PendingRequestsTests {
  @Test("An answer is handled once, and not at all for a forgotten request")
  func once() {
    var requests = PendingRequests<String>()
    let numbers = [requests.expect("a"), requests.expect("b"), requests.makeNumber()]
    #expect(
      Set(numbers).count == 3 && !numbers.contains(0), "zero is for requests without a reader")
    #expect(requests.isExpected(numbers[0]) && !requests.isExpected(numbers[2]))
    requests.forget(numbers[1])
    let answers = [numbers[0], numbers[0], numbers[1]].map { requests.answered($0) }
    #expect(answers == ["a", nil, nil] && requests.numbers.isEmpty)
  }

  @Test("A change for an observer that has ended belongs to no role")
  func observers() {
    var observers = Observers()
    observers.began(.pointer, as: 4)
    observers.began(.frames, as: 5)
    #expect(observers.role(of: 4) == .pointer && observers.role(of: 5) == .frames)
    let ended = [observers.ended(.pointer), observers.ended(.pointer)]
    #expect(ended == [4, nil] && observers.role(of: 4) == nil)
    #expect(!observers.isObserving(.pointer) && observers.isObserving(.frames))
  }

  @Test("The user ended the core unless the program had asked for it")
  func end() {
    var lifecycle = Lifecycle()
    let isByUser = lifecycle.wasShutDown()
    #expect(isByUser && lifecycle.isShutDown)
    lifecycle = Lifecycle()
    lifecycle.quitRequested()
    let isByUserToo = lifecycle.wasShutDown()
    #expect(!isByUserToo && lifecycle.isShutDown)
  }

  @Test("A replaced task is cancelled, and its end doesn't end its successor")
  func tasks() async {
    var tasks = OwnedTasks()
    var numbers: [Int] = []
    let (first, second) = (Task<Void, Never> {}, Task<Void, Never> {})
    for task in [first, second] {
      tasks.replace(.settling) { number in
        numbers.append(number)
        return task
      }
    }
    #expect(first.isCancelled && !second.isCancelled)
    tasks.ended(.settling, number: numbers[0])
    #expect(tasks.hasTask(.settling))
    tasks.ended(.settling, number: numbers[1])
    #expect(!tasks.hasTask(.settling) && !second.isCancelled)
  }
}
