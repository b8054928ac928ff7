"""Pages of the wiki have addresses where the person wants that (HW-31)."""

from vademecum.plugins.addresses.addresses import give_addresses


def addresses(memory, *titles):
    return [[alias for alias in memory.notes.get(title).aliases if alias.startswith("c-")] for title in titles]


def test_hw31_off_by_default(memory):
    """HW-31: without the setting no page gets an address."""
    memory.notes.save("concept", "Shelf", "It holds boxes.")
    memory.jobs.run()
    assert addresses(memory, "Shelf") == [[]]


def test_hw31_pages_get_the_next_number(opened):
    """HW-31: each page gets the next number once, other memories none; a page is found by it, and one undo takes them back."""
    memory = opened(page_addresses=True)
    memory.notes.save("concept", "Shelf", "It holds boxes.", aliases=["Rack"])
    memory.notes.save("fact", "Boat", "It is blue.")
    assert [run.result for run in memory.jobs.run(("addresses",))] == ["addresses given: 1"]
    memory.notes.save("entity", "Carpenter", "Builds shelves.")
    memory.jobs.run(("addresses",))
    assert memory.jobs.run(("addresses",))[0].result == ""
    assert addresses(memory, "Shelf", "Carpenter", "Boat") == [["c-000001"], ["c-000002"], []]
    assert memory.notes.get("c-000002").title == "Carpenter"
    assert "Rack" in memory.notes.get("Shelf").aliases
    memory.notes.undo()
    assert addresses(memory, "Carpenter") == [[]]


def test_hw31_a_number_is_given_once(opened):
    """HW-31: the number of a page that was forgotten is not given to another one."""
    memory = opened(page_addresses=True)
    memory.notes.save("concept", "Shelf", "It holds boxes.")
    give_addresses(memory.context)
    memory.notes.forget("Shelf", yes=True)
    memory.notes.save("concept", "Drawer", "It holds spoons.")
    give_addresses(memory.context)
    assert addresses(memory, "Drawer") == [["c-000002"]]


def test_hw31_two_devices_gave_out_one_number(opened):
    """HW-31: of two pages with one address the later one gets another."""
    memory = opened(page_addresses=True)
    memory.notes.save("concept", "Shelf", "It holds boxes.", aliases=["c-000001"])
    memory.notes.save("concept", "Drawer", "It holds spoons.", aliases=["c-000001"])
    give_addresses(memory.context)
    assert addresses(memory, "Shelf", "Drawer") == [["c-000001"], ["c-000002"]]
